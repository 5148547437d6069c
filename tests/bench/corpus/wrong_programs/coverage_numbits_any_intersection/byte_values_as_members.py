# Wrong: byte values are taken as the numbers themselves.
def numbits_any_intersection(numbits1, numbits2):
    return bool(set(numbits1) & set(numbits2) - {0})
