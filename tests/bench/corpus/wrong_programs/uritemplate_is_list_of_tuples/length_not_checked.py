# WRONG: tuples of any length are taken
from typing import Any


def is_list_of_tuples(value):
    if isinstance(value, list) and all(isinstance(x, tuple) for x in value):
        return True, value
    return False, None
