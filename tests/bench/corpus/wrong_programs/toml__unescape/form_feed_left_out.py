# the escape for form feed is not known
def unescape(v: str) -> str:
    table = {"0": "\0", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", '"': '"', "\\": "\\"}
    del table["f"]
    out, i = "", 0
    while i < len(v):
        if v[i] == "\\" and i + 1 < len(v) and v[i + 1] in table:
            out += table[v[i + 1]]
            i += 2
        else:
            out += v[i]
            i += 1
    return out
