# Wrong: all byte pairs must share a bit.
from itertools import zip_longest


def numbits_any_intersection(numbits1, numbits2):
    return bool(numbits1 and numbits2) and all(b1 & b2 for b1, b2 in zip_longest(numbits1, numbits2, fillvalue=0))
