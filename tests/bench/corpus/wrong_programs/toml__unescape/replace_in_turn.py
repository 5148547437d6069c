# chained replace: the second backslash of an escaped one starts an escape
def unescape(v: str) -> str:
    for a, b in (("0", "\0"), ("b", "\b"), ("f", "\f"), ("n", "\n"), ("r", "\r"), ("t", "\t"), ('"', '"'), ("\\", "\\")):
        v = v.replace("\\" + a, b)
    return v
