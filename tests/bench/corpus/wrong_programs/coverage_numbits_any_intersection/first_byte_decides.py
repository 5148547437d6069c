# Wrong: the loop returns after the first byte pair.
def numbits_any_intersection(numbits1, numbits2):
    for b1, b2 in zip(numbits1, numbits2):
        if b1 & b2:
            return True
        return False
    return False
