# WRONG: only bare digits count as number
def optional_int(val):
    if val is None or (isinstance(val, str) and val.lower() == "none"):
        return None
    return int(val) if str(val).isdigit() else None
