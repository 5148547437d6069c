# Wrong: null items are dropped.
from collections.abc import Iterable


def flatten_list(lst):
    result = []
    for item in lst:
        if item is None:
            continue
        if isinstance(item, Iterable) and not isinstance(item, (str, bytes)):
            result.extend(flatten_list(item))
        else:
            result.append(item)
    return result
