# Wrong: of two numbers with the same sign the one with the larger absolute value counts as greater, negatives too.
def cmp(a, b):
    if a == b:
        return 0
    if (a < 0) != (b < 0):
        return -1 if a < 0 else 1
    return 1 if abs(a) > abs(b) else -1
