# Wrong: only "\n" and "\r\n" count as the trailing newline; a lone "\r" is left.
def comment_value(source):
    s = source.lstrip(" \t\f\r\n")
    if s[:1] in ("#", "!"):
        s = s[1:]
    if s.endswith("\r\n"):
        s = s[:-2]
    elif s.endswith("\n"):
        s = s[:-1]
    return s
