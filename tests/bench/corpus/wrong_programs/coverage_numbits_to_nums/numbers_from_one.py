# Wrong: numbers start at 1 instead of 0.
def numbits_to_nums(numbits):
    nums = []
    for byte_i, byte in enumerate(numbits):
        for bit_i in range(8):
            if byte & (1 << bit_i):
                nums.append(byte_i * 8 + bit_i + 1)
    return nums
