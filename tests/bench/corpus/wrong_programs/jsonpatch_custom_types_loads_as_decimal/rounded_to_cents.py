# Wrong: the decimal is rounded to two digits.
from decimal import Decimal


def as_decimal(dct):
    if "__decimal__" in dct:
        return round(Decimal(dct["__decimal__"]), 2)
    return dct
