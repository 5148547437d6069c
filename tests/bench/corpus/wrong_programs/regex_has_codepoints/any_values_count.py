# WRONG: any values at all are taken
def has_codepoints(property):
    return bool(property.get("values"))
