# Strips white space at the start of the text, which belongs to it.
def RDtext(s):
    return s[8:-1].lstrip()
