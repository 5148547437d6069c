# Wrong: letters beyond ASCII are doubled without a change of case.
def caseinsensitive(string):
    return "".join("[" + (c.lower() + c.upper() if c.isascii() else c + c) + "]" for c in string)
