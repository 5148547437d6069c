# Wrong: reads the digits of the short form as decimal, so a letter there raises an error.
def parse_hex_color(value: str):
    value = value.removeprefix("#")
    if len(value) == 3:
        r, g, b = (17 * int(c) for c in value)
    elif len(value) == 6:
        r, g, b = (int(value[i:i + 2], 16) for i in (0, 2, 4))
    else:
        raise ValueError("invalid color: %r" % value)
    return (r, g, b)
