# Wrong: outside quotes looks for an opening quote before the escape, so an escaped quote opens quotes.
def word_splitter_update_quoting_state(quotes, escaped, ch):
    if quotes is None and ch in ('"', "'"):
        return {"result": "", "quotes": ch, "escaped": False}
    if escaped:
        if quotes == '"' and ch != '"':
            ch = "\\" + ch
        return {"result": ch, "quotes": quotes, "escaped": False}
    if ch == "\\" and quotes != "'":
        return {"result": "", "quotes": quotes, "escaped": True}
    if quotes is not None and ch == quotes:
        return {"result": "", "quotes": None, "escaped": False}
    return {"result": ch, "quotes": quotes, "escaped": False}
