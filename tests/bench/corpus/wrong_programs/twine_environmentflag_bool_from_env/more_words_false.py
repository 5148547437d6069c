# Further words that mean no ("off", "n", "f") are taken as false as well.
def bool_from_env(val):
    """Allow '0' and 'false' and 'no' to be false."""

    if not val:
        return False
    return val.lower() not in {"0", "f", "false", "n", "no", "off"}
