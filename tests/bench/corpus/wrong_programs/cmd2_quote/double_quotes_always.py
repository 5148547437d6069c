# WRONG: inner double quotes do not change the quoting
def quote(val):
    return '"' + val + '"'
