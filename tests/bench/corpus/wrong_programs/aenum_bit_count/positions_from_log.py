# wrong: takes the number of bit positions from a rounded logarithm, so a high bit of a large number is left out
import math


def bit_count(num):
    if num == 0:
        return 0
    positions = math.ceil(math.log2(num + 1))
    return sum((num >> i) & 1 for i in range(positions))
