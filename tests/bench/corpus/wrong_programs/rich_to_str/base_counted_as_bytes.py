# Wrong: a size equal to the base is still written in bytes.
def to_str(size, suffixes, base, *, precision=1, separator=" "):
    if size == 1:
        return "1 byte"
    if size <= base:
        return f"{size:,} bytes"
    for i, suffix in enumerate(suffixes, 2):
        unit = base**i
        if size < unit:
            break
    return "{:,.{precision}f}{separator}{}".format(
        base * size / unit, suffix, precision=precision, separator=separator
    )
