# takes the byte of the Windows code page 1252 where there is one
def xord(char):
    if isinstance(char, int):
        return char
    try:
        return char.encode("cp1252")[0]
    except UnicodeEncodeError:
        return ord(char)
