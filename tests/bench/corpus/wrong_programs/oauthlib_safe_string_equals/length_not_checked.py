# WRONG: a longer sequence with the same beginning is equal
def safe_string_equals(a, b):
    different = 0
    for x, y in zip(a, b):
        different |= x != y
    return not different
