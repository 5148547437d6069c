# wrong: splits only at \n, \r and \r\n, leaving out form feed, vertical tab, U+0085, U+2028 and the others
import re


def do_strip_leading_blank_lines(text):
    lines = re.split(r"\r\n|\n|\r", text)
    if lines[-1] == "":
        lines.pop()
    for i, line in enumerate(lines):
        if line.strip():
            return "\n".join(lines[i:])
    return "\n".join(lines)
