# WRONG: equal pairs are returned only once
from typing import Any


def is_list_of_tuples(value):
    if isinstance(value, list) and all(isinstance(x, tuple) and len(x) == 2 for x in value):
        return True, list(dict.fromkeys(value))
    return False, None
