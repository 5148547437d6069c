# WRONG: only the first character is looked at
import string as _string

_DIGITS = frozenset(_string.digits)


def is_decimal(string):
    return all(c in _DIGITS for c in string[:1])
