# Wrong: the euro sign gives its old X keysym without the high bits
def char_to_keysym(char):
    code = ord(char)
    if code < 256 or code == 0x20AC:
        return code
    return 0x1000000 + code
