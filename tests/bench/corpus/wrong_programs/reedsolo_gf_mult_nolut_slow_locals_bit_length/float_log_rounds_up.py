# Wrong: takes a floating-point logarithm, which rounds up just below a high power of two.
import math


def bit_length(n):
    if n == 0:
        return 0
    return int(math.log2(n)) + 1
