# Wrong: takes a backslash for a plain character in double quotes too; that holds for single quotes only.
def word_splitter_update_quoting_state(quotes, escaped, ch):
    def state(result, quotes, escaped):
        return {"result": result, "quotes": quotes, "escaped": escaped}

    if escaped:
        if quotes == '"' and ch != '"':
            return state("\\" + ch, quotes, False)
        return state(ch, quotes, False)
    if ch == "\\" and quotes not in ("'", '"'):
        return state("", quotes, True)
    if quotes is None and ch in ("'", '"'):
        return state("", ch, False)
    if quotes is not None and ch == quotes:
        return state("", None, False)
    return state(ch, quotes, False)
