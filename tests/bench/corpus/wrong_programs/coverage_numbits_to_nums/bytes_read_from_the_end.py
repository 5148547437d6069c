# Wrong: the last byte is taken as the lowest.
def numbits_to_nums(numbits):
    nums = []
    for byte_i, byte in enumerate(reversed(numbits)):
        for bit_i in range(8):
            if byte & (1 << bit_i):
                nums.append(byte_i * 8 + bit_i)
    return nums
