# Wrong: a size equal to the next unit stays in the lower one.
def pick_unit_and_suffix(size, suffixes, base):
    for i, suffix in enumerate(suffixes):
        unit = base**i
        if size <= unit * base:
            break
    return unit, suffix
