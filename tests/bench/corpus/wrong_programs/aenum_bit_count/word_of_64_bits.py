# wrong: counts within a 64-bit word only; bits from the 65th on are cut off
def bit_count(num):
    num &= 0xFFFFFFFFFFFFFFFF
    count = 0
    while num:
        num &= num - 1
        count += 1
    return count
