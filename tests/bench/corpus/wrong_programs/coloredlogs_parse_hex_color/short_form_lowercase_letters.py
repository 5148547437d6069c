# Wrong: works out the digits of the short form by code point for capitals only, so small letters come out too big.
def _digit(c):
    if "0" <= c <= "9":
        return ord(c) - ord("0")
    return ord(c) - ord("A") + 10


def parse_hex_color(value: str):
    if value.startswith("#"):
        value = value[1:]
    if len(value) == 3:
        return tuple(_digit(c) * 17 for c in value)
    if len(value) == 6:
        return tuple(int(value[i:i + 2], 16) for i in (0, 2, 4))
    raise ValueError("invalid color: %r" % value)
