# Wrong: the sum of the bytes is cut to six bits, so 64 set bits give 0
def count_bits(value):
    m = 0xFFFFFFFFFFFFFFFF
    value = value - ((value >> 1) & 0x5555555555555555)
    value = (value & 0x3333333333333333) + ((value >> 2) & 0x3333333333333333)
    value = (value + (value >> 4)) & 0x0F0F0F0F0F0F0F0F
    return ((value * 0x0101010101010101 & m) >> 56) & 0x3F
