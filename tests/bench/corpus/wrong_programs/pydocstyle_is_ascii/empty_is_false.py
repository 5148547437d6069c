# WRONG: the empty text is not ASCII
def is_ascii(string):
    return bool(string) and all(ord(c) < 128 for s in string for c in s)
