# Wrong: unary plus rounds to the 28 digits of the context.
from decimal import Decimal


def as_decimal(dct):
    if "__decimal__" in dct:
        return +Decimal(dct["__decimal__"])
    return dct
