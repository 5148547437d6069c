# Removes every NUL at the end instead of just the last character.
def RDtext(s):
    return s[8:-1].rstrip("\0")
