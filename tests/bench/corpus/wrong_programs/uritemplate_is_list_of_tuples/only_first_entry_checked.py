# WRONG: only the first entry is looked at
from typing import Any


def is_list_of_tuples(value):
    if isinstance(value, list) and all(isinstance(x, tuple) and len(x) == 2 for x in value[:1]):
        return True, value
    return False, None
