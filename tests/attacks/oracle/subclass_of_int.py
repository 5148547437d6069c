# what: a subclass of int that equals everything
# control: compare
# held: raised UnportableError
class Yes(int):
    def __eq__(self, other):
        return True

    def __ne__(self, other):
        return False

    def __hash__(self):
        return 0


def f(x):
    return Yes(0)
