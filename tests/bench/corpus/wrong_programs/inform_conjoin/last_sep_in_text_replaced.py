# Wrong: joins all with sep and then replaces the last sep found in the text by conj, which hits a sep inside the last item.
def conjoin(iterable, conj=" and ", sep=", ", end="", fmt=None):
    if callable(fmt):
        items = [fmt(item) for item in iterable]
    elif fmt:
        items = [fmt.format(item) for item in iterable]
    else:
        items = [str(item) for item in iterable]
    text = sep.join(items)
    if conj and len(items) > 1:
        if sep:
            start, _, last = text.rpartition(sep)
        else:
            start, last = "".join(items[:-1]), items[-1]
        text = start + conj + last
    return text + end
