# WRONG: a number as text is returned as text
def optional_int(val):
    if val is None or (isinstance(val, str) and val.lower() == "none"):
        return None
    return val
