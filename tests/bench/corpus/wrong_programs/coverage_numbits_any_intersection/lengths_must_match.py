# Wrong: sets of different length are said not to meet.
from itertools import zip_longest


def numbits_any_intersection(numbits1, numbits2):
    if len(numbits1) != len(numbits2):
        return False
    return any(b1 & b2 for b1, b2 in zip_longest(numbits1, numbits2, fillvalue=0))
