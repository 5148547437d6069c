# Wrong: a last item that is None is taken for "no items", so an error is raised.
def last(iterable):
    item = None
    for item in iterable:
        pass
    if item is None:
        raise ValueError("Iterable contains no items")
    return item
