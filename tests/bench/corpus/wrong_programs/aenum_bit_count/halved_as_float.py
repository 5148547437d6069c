# wrong: halves by true division, so that integers above 2**53 are rounded to a float
def bit_count(num):
    count = 0
    while num:
        count += num % 2
        num = int(num / 2)
    return count
