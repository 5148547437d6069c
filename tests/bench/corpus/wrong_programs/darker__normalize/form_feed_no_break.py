# Wrong: only \n, \r, \r\n and the two Unicode separators end a line; form feed, vertical tab, U+001C-1E and U+0085 do not.
import re


def normalize(lineend, value):
    lines = re.split("\r\n|[\n\r\u2028\u2029]", value)
    if lines and not lines[-1]:
        lines.pop()
    return lineend.join(line.strip() for line in lines).strip()
