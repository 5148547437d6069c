# Wrong: the unit belongs to the step after the suffix.
def pick_unit_and_suffix(size, suffixes, base):
    for i, suffix in enumerate(suffixes):
        unit = base**i
        if size < unit * base:
            break
    return unit * base, suffix
