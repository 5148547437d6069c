# divides the shortest decimal texts of the numbers, so binary fractions come out rounder than the true quotient
from decimal import Decimal


def amplification(numerator, denominator):
    if numerator is None or denominator is None or denominator == 0:
        return None
    return float(Decimal(str(numerator)) / Decimal(str(denominator)))
