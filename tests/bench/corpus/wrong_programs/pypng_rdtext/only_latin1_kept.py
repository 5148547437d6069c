# Drops characters beyond Latin-1 on the way to the result.
def RDtext(s):
    return s[8:-1].encode("latin-1", "ignore").decode("latin-1")
