# Wrong: it asks whether anything true precedes the last item, so empty texts before it are not counted as items.


def maybe_single(sequence):
    if not sequence:
        return sequence
    *before, last = sequence
    if any(before):
        return sequence
    return last
