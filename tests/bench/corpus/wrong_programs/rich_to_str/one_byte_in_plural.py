# Wrong: one byte is written as 1 bytes.
def to_str(size, suffixes, base, *, precision=1, separator=" "):
    if size < base:
        return f"{size:,} bytes"
    for i, suffix in enumerate(suffixes, 2):
        unit = base**i
        if size < unit:
            break
    return "{:,.{precision}f}{separator}{}".format(
        base * size / unit, suffix, precision=precision, separator=separator
    )
