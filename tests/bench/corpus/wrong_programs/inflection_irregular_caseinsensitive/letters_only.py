# Wrong: characters without case stay bare.
def caseinsensitive(string):
    return "".join(("[" + c.lower() + c.upper() + "]" if c.isalpha() else c) for c in string)
