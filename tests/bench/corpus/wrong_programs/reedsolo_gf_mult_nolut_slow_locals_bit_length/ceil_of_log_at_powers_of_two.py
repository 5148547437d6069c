# Wrong: rounds the logarithm up, one too few at every exact power of two from 2 on.
import math


def bit_length(n):
    if n <= 1:
        return n
    return math.ceil(math.log2(n))
