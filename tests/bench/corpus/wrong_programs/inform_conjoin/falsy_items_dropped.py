# Wrong: leaves out items that are false in Python (0, empty text, null, false).
def conjoin(iterable, conj=" and ", sep=", ", end="", fmt=None):
    iterable = [item for item in iterable if item]
    if callable(fmt):
        items = [fmt(item) for item in iterable]
    elif fmt:
        items = [fmt.format(item) for item in iterable]
    else:
        items = [str(item) for item in iterable]
    if conj and len(items) > 1:
        items[-2:] = [items[-2] + conj + items[-1]]
    return sep.join(items) + end
