# Wrong: a list of one item is replaced by that item without a look at whether the item is a list itself.
from collections.abc import Iterable


def flatten_list(lst):
    result = []
    for item in lst:
        if isinstance(item, list) and len(item) == 1:
            result.append(item[0])
        elif isinstance(item, Iterable) and not isinstance(item, (str, bytes)):
            result.extend(flatten_list(item))
        else:
            result.append(item)
    return result
