# Wrong: numbers that are nearly the same (math.isclose) count as equal.
import math


def cmp(a, b):
    if math.isclose(a, b):
        return 0
    return -1 if a < b else 1
