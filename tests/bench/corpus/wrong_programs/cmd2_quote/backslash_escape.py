# WRONG: inner double quotes get a backslash
def quote(val):
    return '"' + val.replace('"', '\\"') + '"'
