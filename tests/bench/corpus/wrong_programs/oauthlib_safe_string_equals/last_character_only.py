# WRONG: only the last comparison counts
def safe_string_equals(a, b):
    if len(a) != len(b):
        return False
    different = 0
    for x, y in zip(a, b):
        different = x != y
    return not different
