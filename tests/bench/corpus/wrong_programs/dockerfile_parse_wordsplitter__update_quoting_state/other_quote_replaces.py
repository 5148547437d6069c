# Wrong: any quote character that does not close the open quotes opens its own, so an apostrophe in double quotes switches to single quotes.
def word_splitter_update_quoting_state(quotes, escaped, ch):
    was_escaped = escaped
    escaped = not was_escaped and ch == "\\" and quotes != "'"
    result = ch
    if escaped:
        result = ""
    elif was_escaped:
        if quotes == '"' and ch != '"':
            result = "\\" + ch
    elif quotes == ch:
        quotes = None
        result = ""
    elif ch in ("'", '"'):
        quotes = ch
        result = ""
    return {"result": result, "quotes": quotes, "escaped": escaped}
