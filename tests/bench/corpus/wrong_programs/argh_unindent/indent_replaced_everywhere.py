# wrong: takes the run of blanks off wherever it stands, also inside a line
import re


def unindent(text):
    match = re.match("(^|\n)( +)", text)
    if not match:
        return text
    return text.replace(match.group(2), "")
