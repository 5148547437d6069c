# Wrong: adds end only if the text does not end with it already.
def conjoin(iterable, conj=" and ", sep=", ", end="", fmt=None):
    if callable(fmt):
        items = [fmt(item) for item in iterable]
    elif fmt:
        items = [fmt.format(item) for item in iterable]
    else:
        items = [str(item) for item in iterable]
    if conj and len(items) > 1:
        items[-2:] = [items[-2] + conj + items[-1]]
    text = sep.join(items)
    if not text.endswith(end):
        text += end
    return text
