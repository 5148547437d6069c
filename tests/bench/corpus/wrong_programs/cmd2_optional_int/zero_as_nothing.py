# WRONG: 0 becomes nothing
def optional_int(val):
    if not val or (isinstance(val, str) and val.lower() == "none"):
        return None
    return int(val)
