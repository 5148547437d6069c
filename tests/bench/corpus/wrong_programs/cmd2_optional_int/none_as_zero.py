# WRONG: the word None gives 0
def optional_int(val):
    if val is None:
        return None
    if isinstance(val, str) and val.lower() == "none":
        return 0
    return int(val)
