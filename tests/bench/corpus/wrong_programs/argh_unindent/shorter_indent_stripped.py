# wrong: a line with less indentation than the first loses what it has, instead of being left alone
import re


def unindent(text):
    match = re.match("(^|\n)( +)", text)
    if not match:
        return text
    return re.sub("(^|\\n) {1,%d}" % len(match.group(2)), "\\1", text)
