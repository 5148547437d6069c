# WRONG: keys that merely contain the word are taken
def has_codepoints(property):
    return any("codepoints" in k for k in property.get("values", {}))
