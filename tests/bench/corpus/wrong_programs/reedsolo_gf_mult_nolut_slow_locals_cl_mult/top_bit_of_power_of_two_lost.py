# Wrong: takes ceil(log2(y)) for the number of bits of y, one too few when y is a power of two.
import math


def cl_mult(x, y):
    if x == 0 or y <= 0:
        return 0
    if y == 1:
        return x
    z = 0
    for i in range(math.ceil(math.log2(y))):
        if y & (1 << i):
            z ^= x << i
    return z
