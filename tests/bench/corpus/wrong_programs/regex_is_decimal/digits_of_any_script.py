# WRONG: digits of other scripts are taken
import string as _string

_DIGITS = frozenset(_string.digits)


def is_decimal(string):
    return all(isinstance(c, str) and c.isdigit() for c in string)
