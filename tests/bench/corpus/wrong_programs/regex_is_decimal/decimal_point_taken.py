# WRONG: a point is taken as part of a decimal
import string as _string

_DIGITS = frozenset(_string.digits + ".")


def is_decimal(string):
    return all(c in _DIGITS for c in string)
