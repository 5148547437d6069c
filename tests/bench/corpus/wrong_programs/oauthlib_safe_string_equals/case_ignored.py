# WRONG: upper and lower case are equal
def safe_string_equals(a, b):
    if len(a) != len(b):
        return False
    different = 0
    for x, y in zip(a, b):
        different |= x.lower() != y.lower()
    return not different
