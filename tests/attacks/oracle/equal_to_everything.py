# what: an object that equals everything
# control: compare
# held: raised UnportableError
class Yes:
    def __eq__(self, other):
        return True

    def __ne__(self, other):
        return False


def f(x):
    return Yes()
