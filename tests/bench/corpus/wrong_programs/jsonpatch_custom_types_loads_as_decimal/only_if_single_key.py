# Wrong: further keys stop the conversion.
from decimal import Decimal


def as_decimal(dct):
    if "__decimal__" in dct and len(dct) == 1:
        return Decimal(dct["__decimal__"])
    return dct
