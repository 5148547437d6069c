# WRONG: Python's own quoting, which prefers single quotes
def quote(val):
    return repr(val)
