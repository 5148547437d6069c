# White space at the end of the value is ignored before the comparison.
def bool_from_env(val):
    """Allow '0' and 'false' and 'no' to be false."""

    if not val:
        return False
    return val.rstrip().lower() not in {"0", "false", "no"}
