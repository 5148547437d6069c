# WRONG: the written decimals are taken at their word
from fractions import Fraction


def float_to_rational(flt):
    f = Fraction(str(flt))
    if f >= 0:
        return f.numerator, f.denominator
    whole = int(flt)
    error = flt - whole
    if abs(error) < 0.0001:
        return whole, 1
    den, num = float_to_rational(1.0 / error)
    return whole * den + num, den
