# WRONG: the key is found in any case
def has_codepoints(property):
    return any(k.lower() == "codepoints" for k in property.get("values", {}))
