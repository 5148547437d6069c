# Wrong: it takes a sequence for single when its first and last items are equal, whatever lies between.


def maybe_single(sequence):
    if sequence and sequence[0] == sequence[-1]:
        return sequence[0]
    return sequence
