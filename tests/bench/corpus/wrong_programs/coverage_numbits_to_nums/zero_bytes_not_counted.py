# Wrong: empty bytes are skipped before they are numbered.
def numbits_to_nums(numbits):
    nums = []
    for byte_i, byte in enumerate(b for b in numbits if b):
        for bit_i in range(8):
            if byte & (1 << bit_i):
                nums.append(byte_i * 8 + bit_i)
    return nums
