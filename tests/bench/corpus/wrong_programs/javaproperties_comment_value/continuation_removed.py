# Wrong: a backslash before the newline is removed as a line continuation, which comments do not have.
import re


def comment_value(source):
    s = source.lstrip(" \t\f\r\n")
    if s.startswith(("#", "!")):
        s = s[1:]
    s = re.sub(r"(?:\r\n|\r|\n)\Z", "", s)
    m = re.search(r"\\+\Z", s)
    if m and len(m.group()) % 2:
        s = s[:-1]
    return s
