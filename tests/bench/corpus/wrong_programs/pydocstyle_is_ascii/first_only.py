# WRONG: only the first character is looked at
def is_ascii(string):
    return all(ord(c) < 128 for s in string[:1] for c in s)
