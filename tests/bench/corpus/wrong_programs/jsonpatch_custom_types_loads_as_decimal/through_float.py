# Wrong: the text goes through a float.
from decimal import Decimal


def as_decimal(dct):
    if "__decimal__" in dct:
        return Decimal(float(dct["__decimal__"]))
    return dct
