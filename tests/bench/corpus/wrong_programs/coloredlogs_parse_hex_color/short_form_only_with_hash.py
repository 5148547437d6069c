# Wrong: doubles the digits of the three-digit form only after "#"; without it three digits are read as one number.
def parse_hex_color(value: str):
    if len(value) == 4 and value[0] == "#":
        value = "".join(c * 2 for c in value[1:])
    elif value.startswith("#"):
        value = value[1:]
    value = value.rjust(6, "0")
    if len(value) != 6:
        raise ValueError("not a color: %r" % value)
    return tuple(int(value[i:i + 2], 16) for i in (0, 2, 4))
