# Wrong: None is used as the mark of the end, so the iteration stops at the first None among the items.
_MISSING = object()


def last(iterable):
    iterator = iter(iterable)
    found = _MISSING
    for item in iter(lambda: next(iterator, None), None):
        found = item
    if found is _MISSING:
        raise ValueError("Iterable contains no items")
    return found
