# Wrong: the length of the string is added to searchwindowsize too, so a match that begins before the window is found.
def searcher_string_search(strings, match, start, end, buffer, freshlen, searchwindowsize=None):
    first = None
    best_index = -1
    best_text = ""
    for index, text in strings:
        if searchwindowsize is None:
            offset = -(freshlen + len(text))
        else:
            offset = -(searchwindowsize + len(text))
        position = buffer.find(text, offset)
        if position < 0:
            continue
        if first is None or position < first:
            first = position
            best_index = index
            best_text = text
    if first is None:
        return {"result": -1, "match": match, "start": start, "end": end}
    return {
        "result": best_index,
        "match": best_text,
        "start": first,
        "end": first + len(best_text),
    }
