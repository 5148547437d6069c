# Wrong: bits above the 64th are not counted
def count_bits(value):
    return sum((value >> i) & 1 for i in range(64))
