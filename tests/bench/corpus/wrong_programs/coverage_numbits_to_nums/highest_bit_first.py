# Wrong: bits are counted from the highest one.
def numbits_to_nums(numbits):
    nums = []
    for byte_i, byte in enumerate(numbits):
        for bit_i in range(8):
            if byte & (0x80 >> bit_i):
                nums.append(byte_i * 8 + bit_i)
    return nums
