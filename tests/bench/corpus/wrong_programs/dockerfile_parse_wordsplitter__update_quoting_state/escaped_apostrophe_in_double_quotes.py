# Wrong: in double quotes drops the backslash before either kind of quote; only the double quote can be escaped there.
def word_splitter_update_quoting_state(quotes, escaped, ch):
    def state(result, quotes, escaped=False):
        return {"result": result, "quotes": quotes, "escaped": escaped}

    if escaped:
        if quotes == '"' and ch not in ('"', "'"):
            return state("\\" + ch, quotes)
        return state(ch, quotes)
    if ch == "\\" and quotes != "'":
        return state("", quotes, True)
    if quotes is None and ch in ('"', "'"):
        return state("", ch)
    if ch == quotes:
        return state("", None)
    return state(ch, quotes)
