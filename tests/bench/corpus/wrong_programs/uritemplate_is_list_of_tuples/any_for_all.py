# WRONG: one pair in the list is enough instead of all
from typing import Any


def is_list_of_tuples(value):
    if isinstance(value, list) and any(isinstance(x, tuple) and len(x) == 2 for x in value):
        return True, value
    return False, None
