# WRONG: one digit is enough
import string as _string

_DIGITS = frozenset(_string.digits)


def is_decimal(string):
    return any(c in _DIGITS for c in string)
