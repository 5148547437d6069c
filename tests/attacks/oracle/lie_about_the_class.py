# what: an object that says it is an int
# control: compare_exact_class
# held: raised UnportableError
class Yes:
    __class__ = property(lambda self: int)

    def __eq__(self, other):
        return True


def f(x):
    return Yes()
