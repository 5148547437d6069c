# Wrong: the highest bit is found by a logarithm, which rounds up just below a power of two
import math

def count_bits(value):
    count = 0
    while value > 0:
        value -= 2 ** int(math.log2(value))
        count += 1
    return count
