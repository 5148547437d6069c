# Wrong: equal items count as one, so a sequence that repeats one text is unwrapped too.


def maybe_single(sequence):
    distinct = set(sequence)
    if len(distinct) != 1:
        return sequence
    (item,) = distinct
    return item
