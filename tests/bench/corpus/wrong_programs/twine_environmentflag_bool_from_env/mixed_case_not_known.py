# Only the all-lower and all-upper spellings are known, so "False" and "No" are true.
def bool_from_env(val):
    """Allow '0' and 'false' and 'no' to be false."""

    if not val:
        return False
    return val not in {"0", "false", "FALSE", "no", "NO"}
