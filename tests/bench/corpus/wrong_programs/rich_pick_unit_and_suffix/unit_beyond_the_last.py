# Wrong: sizes beyond the last suffix get a unit one step too large.
def pick_unit_and_suffix(size, suffixes, base):
    unit = 1
    for suffix in suffixes:
        if size < unit * base:
            break
        unit *= base
    return unit, suffix
