# Wrong: a backslash that is itself escaped starts an escape again.
def word_splitter_update_quoting_state(quotes, escaped, ch):
    if ch == "\\" and quotes != "'":
        return {"result": "", "quotes": quotes, "escaped": True}
    if escaped:
        keep = quotes == '"' and ch != '"'
        return {"result": "\\" + ch if keep else ch, "quotes": quotes, "escaped": False}
    if quotes is None:
        if ch in ('"', "'"):
            return {"result": "", "quotes": ch, "escaped": False}
    elif ch == quotes:
        return {"result": "", "quotes": None, "escaped": False}
    return {"result": ch, "quotes": quotes, "escaped": False}
