# Wrong: the decimal is normalised.
from decimal import Decimal


def as_decimal(dct):
    if "__decimal__" in dct:
        return Decimal(dct["__decimal__"]).normalize()
    return dct
