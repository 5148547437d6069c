# Wrong: checks components against 255 with the limit left out, so 255 itself is refused.
def parse_hex_color(value: str):
    if value.startswith("#"):
        value = value[1:]
    if len(value) == 3:
        value = "".join(c * 2 for c in value)
    if len(value) != 6:
        raise ValueError("invalid color: %r" % value)
    rgb = tuple(int(value[i:i + 2], 16) for i in range(0, 6, 2))
    if any(component >= 255 for component in rgb):
        raise ValueError("component out of range: %r" % (rgb,))
    return rgb
