# takes the first UTF-16 unit, which is a surrogate for characters beyond the basic plane
def xord(char):
    if isinstance(char, int):
        return char
    return int.from_bytes(char.encode("utf-16-be")[:2], "big")
