# Wrong: a character beyond U+FFFF is reported as not found
def char_to_keysym(char):
    code = ord(char)
    if code < 0x100:
        return code
    if code > 0xFFFF:
        return 0
    return code | 0x01000000
