# what: a subclass of Fraction that equals everything
# control: compare
# held: raised UnportableError
from fractions import Fraction


class Yes(Fraction):
    def __eq__(self, other):
        return True

    __hash__ = Fraction.__hash__


def f(x):
    return Yes(1)
