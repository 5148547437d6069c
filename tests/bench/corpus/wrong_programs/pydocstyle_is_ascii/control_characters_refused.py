# WRONG: only printable characters are taken
def is_ascii(string):
    return all(32 <= ord(c) < 127 for s in string for c in s)
