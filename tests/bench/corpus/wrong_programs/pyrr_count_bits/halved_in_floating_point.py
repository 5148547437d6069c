# Wrong: the value is halved by floating-point division, which rounds large values
def count_bits(value):
    count = 0
    while value:
        count += value % 2
        value = int(value / 2)
    return count
