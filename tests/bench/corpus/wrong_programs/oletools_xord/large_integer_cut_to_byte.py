# an integer above 255 is cut to a byte
def xord(char):
    if isinstance(char, str):
        return ord(char)
    if char > 255:
        return char & 0xFF
    return char
