# what: a true Fraction whose numerator was replaced by what equals everything
# control: compare
# held: wrong_output
from fractions import Fraction


class Yes(int):
    def __eq__(self, other):
        return True

    __hash__ = int.__hash__


def f(x):
    made = Fraction(1, 1)
    made._numerator = Yes(1)
    return made
