# \r becomes a newline
def unescape(v: str) -> str:
    table = {"0": "\0", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", '"': '"', "\\": "\\"}
    table["r"] = "\n"
    out, i = "", 0
    while i < len(v):
        if v[i] == "\\" and i + 1 < len(v) and v[i + 1] in table:
            out += table[v[i + 1]]
            i += 2
        else:
            out += v[i]
            i += 1
    return out
