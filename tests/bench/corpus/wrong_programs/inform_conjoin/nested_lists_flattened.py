# Wrong: without fmt, an item that is a list is opened and its members are joined as items of their own.
def conjoin(iterable, conj=" and ", sep=", ", end="", fmt=None):
    if callable(fmt):
        items = [fmt(item) for item in iterable]
    elif fmt:
        items = [fmt.format(item) for item in iterable]
    else:
        items = []
        for item in iterable:
            if isinstance(item, (list, tuple)):
                items.extend(str(member) for member in item)
            else:
                items.append(str(item))
    if conj and len(items) > 1:
        items[-2:] = [items[-2] + conj + items[-1]]
    return sep.join(items) + end
