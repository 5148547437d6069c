# Wrong: characters that are special in patterns are escaped.
import re


def caseinsensitive(string):
    return "".join("[" + re.escape(c.lower()) + re.escape(c.upper()) + "]" for c in string)
