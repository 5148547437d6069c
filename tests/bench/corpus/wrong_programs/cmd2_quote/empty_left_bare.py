# WRONG: the empty text is not quoted
def quote(val):
    if not val:
        return val
    if '"' in val:
        return "'" + val + "'"
    return '"' + val + '"'
