# what: an element that equals everything
# control: compare_list
# held: raised UnportableError
# suite: list
class Yes:
    def __eq__(self, other):
        return True


def f(x):
    return [Yes()]
