# Wrong: only the printable second half of Latin-1 is taken as such; U+0080 to U+009F get the high bits
def char_to_keysym(char):
    code = ord(char)
    if code < 0x80 or 0xA0 <= code <= 0xFF:
        return code
    return code | 0x01000000
