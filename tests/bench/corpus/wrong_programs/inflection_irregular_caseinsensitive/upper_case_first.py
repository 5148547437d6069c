# Wrong: the upper-case letter comes first.
def caseinsensitive(string):
    return "".join("[" + c.upper() + c.lower() + "]" for c in string)
