# what: a subclass of tuple that equals everything
# control: compare
# held: raised UnportableError
class Yes(tuple):
    def __eq__(self, other):
        return True

    def __ne__(self, other):
        return False

    def __hash__(self):
        return 0


def f(x):
    return Yes(())
