# Wrong: \uXXXX escapes are decoded as in keys and values; a comment is kept as written.
import re


def comment_value(source):
    s = source.lstrip(" \t\f\r\n")
    if s.startswith(("#", "!")):
        s = s[1:]
    s = re.sub(r"(?:\r\n|\r|\n)\Z", "", s)
    return re.sub(r"\\u([0-9A-Fa-f]{4})", lambda m: chr(int(m.group(1), 16)), s)
