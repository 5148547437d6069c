# Wrong: if the last item is itself a list that is not empty, its last item is returned instead of the list.
_MISSING = object()


def last(iterable):
    item = _MISSING
    for item in iterable:
        pass
    if item is _MISSING:
        raise ValueError("Iterable contains no items")
    if isinstance(item, list) and item:
        return last(item)
    return item
