# WRONG: the same characters in another order are equal
def safe_string_equals(a, b):
    if len(a) != len(b):
        return False
    different = 0
    for x, y in zip(sorted(a), sorted(b)):
        different |= x != y
    return not different
