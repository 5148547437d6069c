# WRONG: a text that has quotes around it is left alone
def quote(val):
    if len(val) > 1 and val[0] == val[-1] == '"':
        return val
    if '"' in val:
        return "'" + val + "'"
    return '"' + val + '"'
