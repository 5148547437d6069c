# WRONG: inner lists count as tuples
from typing import Any


def is_list_of_tuples(value):
    if isinstance(value, list) and all(isinstance(x, (tuple, list)) and len(x) == 2 for x in value):
        return True, value
    return False, None
