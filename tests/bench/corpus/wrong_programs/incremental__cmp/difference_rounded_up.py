# Wrong: the difference is rounded up, so a number less than one smaller comes out as equal.
import math


def cmp(a, b):
    return max(-1, min(1, math.ceil(a - b)))
