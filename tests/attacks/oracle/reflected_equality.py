# what: a right-hand side that decides
# control: compare_reflected
# held: raised UnportableError
class Yes(int):
    def __eq__(self, other):
        return True

    def __hash__(self):
        return 0


def f(x):
    return Yes(1)
