# Wrong: only the fresh part is searched, so a match that begins in the old part and ends in the fresh one is missed.
def searcher_string_search(strings, match, start, end, buffer, freshlen, searchwindowsize=None):
    first = None
    best_index = -1
    best_text = ""
    for index, text in strings:
        if searchwindowsize is None:
            offset = -freshlen
        else:
            offset = -searchwindowsize
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
