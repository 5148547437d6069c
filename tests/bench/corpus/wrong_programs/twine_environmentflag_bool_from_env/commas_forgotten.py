# The commas between the false words are missing, so any part of "0falseno" is false.
def bool_from_env(val):
    """Allow '0' and 'false' and 'no' to be false."""

    if not val:
        return False
    falsy = ("0" "false" "no")
    return val.lower() not in falsy
