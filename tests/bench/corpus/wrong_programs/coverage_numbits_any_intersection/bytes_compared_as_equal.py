# Wrong: bytes are compared for equality instead of common bits.
from itertools import zip_longest


def numbits_any_intersection(numbits1, numbits2):
    return any(b1 and b1 == b2 for b1, b2 in zip_longest(numbits1, numbits2, fillvalue=0))
