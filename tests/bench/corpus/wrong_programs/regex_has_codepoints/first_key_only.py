# WRONG: only the first key is looked at
def has_codepoints(property):
    return next(iter(property.get("values", {})), None) == "codepoints"
