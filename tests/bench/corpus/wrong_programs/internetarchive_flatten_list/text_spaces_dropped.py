# Wrong: given a text, its white space is left out of the characters.
from collections.abc import Iterable


def flatten_list(lst):
    if isinstance(lst, str):
        return [char for char in lst if not char.isspace()]
    result = []
    for item in lst:
        if isinstance(item, Iterable) and not isinstance(item, (str, bytes)):
            result.extend(flatten_list(item))
        else:
            result.append(item)
    return result
