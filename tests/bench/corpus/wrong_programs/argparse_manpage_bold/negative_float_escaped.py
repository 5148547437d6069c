# Wrong: only null and integers are exempt from escaping; other values are made a text and escaped
def bold(text):
    if text is None or isinstance(text, int):
        return "\\fB%s\\fR" % text
    escaped = str(text).replace("\\", "\\\\").replace("-", "\\-")
    return "\\fB%s\\fR" % escaped
