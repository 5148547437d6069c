# WRONG: the key is sought in the map itself
def has_codepoints(property):
    return "codepoints" in property
