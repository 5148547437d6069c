# Wrong: flattens a fixed number of levels (three), so lists nested deeper stay.
from collections.abc import Iterable


def _flatten_once(items):
    result = []
    for item in items:
        if isinstance(item, Iterable) and not isinstance(item, (str, bytes)):
            result.extend(item)
        else:
            result.append(item)
    return result


def flatten_list(lst):
    result = list(lst)
    for _ in range(3):
        result = _flatten_once(result)
    return result
