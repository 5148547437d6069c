# WRONG: the limit is a byte
def is_ascii(string):
    return all(ord(c) < 256 for s in string for c in s)
