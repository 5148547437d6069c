# what: an integer that differs each time it is asked
# control: compare
# held: raised UnportableError
class Odd(int):
    asked = 0

    def __index__(self):
        return 0

    def __eq__(self, other):
        type(self).asked += 1
        return True

    __hash__ = int.__hash__


def f(x):
    return Odd(5)
