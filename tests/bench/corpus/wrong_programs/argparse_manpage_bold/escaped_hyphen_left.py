# Wrong: a hyphen that already has a backslash before it is taken as escaped and left
import re

def bold(text):
    if isinstance(text, str):
        text = re.sub(r"\\(?!-)", r"\\\\", text)
        text = re.sub(r"(?<!\\)-", r"\\-", text)
    return "\\fB%s\\fR" % (text,)
