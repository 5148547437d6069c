# what: a subclass of float that equals everything
# control: compare
# held: raised UnportableError
class Yes(float):
    def __eq__(self, other):
        return True

    def __ne__(self, other):
        return False

    def __hash__(self):
        return 0


def f(x):
    return Yes(0.0)
