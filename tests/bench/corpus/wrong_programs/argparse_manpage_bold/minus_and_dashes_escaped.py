# Wrong: other dashes and the minus sign are escaped like the hyphen
DASHES = "-\u2010\u2011\u2013\u2014\u2212"

def bold(text):
    if not isinstance(text, str):
        return "\\fB" + str(text) + "\\fR"
    out = []
    for c in text:
        if c == "\\":
            out.append("\\\\")
        elif c in DASHES:
            out.append("\\-")
        else:
            out.append(c)
    return "\\fB" + "".join(out) + "\\fR"
