# Wrong: the code of a small letter is turned to upper case too; only texts are
def ctrl(char):
    code = ord(char.upper()) if isinstance(char, str) else char
    if 97 <= code <= 122:
        code -= 32
    return code & 0x1F if 64 <= code <= 95 else None
