# Wrong: only seven bits of each byte are read.
def numbits_to_nums(numbits):
    nums = []
    for byte_i, byte in enumerate(numbits):
        for bit_i in range(7):
            if byte & (1 << bit_i):
                nums.append(byte_i * 8 + bit_i)
    return nums
