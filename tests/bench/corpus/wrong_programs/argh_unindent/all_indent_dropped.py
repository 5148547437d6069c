# wrong: every line is stripped to the left, so that the relative indentation is lost
import re


def unindent(text):
    if not re.match("(^|\n)( +)", text):
        return text
    return "\n".join(line.lstrip(" ") for line in text.split("\n"))
