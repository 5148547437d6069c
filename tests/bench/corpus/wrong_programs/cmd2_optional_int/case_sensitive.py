# WRONG: only "None" in this spelling is recognised
def optional_int(val):
    if val is None or (isinstance(val, str) and val == "None"):
        return None
    try:
        return int(val)
    except ValueError:
        return 0
