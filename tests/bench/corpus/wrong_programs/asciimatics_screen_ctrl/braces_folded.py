# Wrong: the text signs above the small letters are folded onto the brackets by 32
def ctrl(char):
    if isinstance(char, str):
        code = ord(char.upper())
        if 96 <= code < 127:
            code -= 32
    else:
        code = char
    if code < 64 or code > 95:
        return None
    return code - 64
