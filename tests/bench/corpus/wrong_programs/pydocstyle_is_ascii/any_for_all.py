# WRONG: one ASCII character is enough
def is_ascii(string):
    return any(ord(c) < 128 for s in string for c in s)
