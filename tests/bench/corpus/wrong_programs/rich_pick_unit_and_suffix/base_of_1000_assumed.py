# Wrong: the limits are those of base 1000.
def pick_unit_and_suffix(size, suffixes, base):
    for i, suffix in enumerate(suffixes):
        unit = base**i
        if size < 1000 ** (i + 1):
            break
    return unit, suffix
