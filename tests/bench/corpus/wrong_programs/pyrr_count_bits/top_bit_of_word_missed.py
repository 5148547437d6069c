# Wrong: the loop ends one early, so bit 63 is not counted
def count_bits(value):
    count = 0
    for position in range(63):
        if value & (1 << position):
            count += 1
    return count
