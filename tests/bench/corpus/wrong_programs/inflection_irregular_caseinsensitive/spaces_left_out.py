# Wrong: spaces are skipped.
def caseinsensitive(string):
    return "".join("[" + c.lower() + c.upper() + "]" for c in string if c != " ")
