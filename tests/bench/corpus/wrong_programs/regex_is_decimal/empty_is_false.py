# WRONG: the empty text is not decimal
import string as _string

_DIGITS = frozenset(_string.digits)


def is_decimal(string):
    return bool(string) and all(c in _DIGITS for c in string)
