# WRONG: two empty sequences are unequal
def safe_string_equals(a, b):
    if not a or not b:
        return False
    if len(a) != len(b):
        return False
    different = 0
    for x, y in zip(a, b):
        different |= x != y
    return not different
