# Wrong: steps by four bits while n > 16 instead of n >= 16, so 16 is left over and counts as four bits.
def bit_length(n):
    bits = 0
    while n > 16:
        n >>= 4
        bits += 4
    if n >= 8:
        return bits + 4
    if n >= 4:
        return bits + 3
    if n >= 2:
        return bits + 2
    return bits + n
