# Wrong: of strings that match at the same place the longest wins, not the one listed first.
def searcher_string_search(strings, match, start, end, buffer, freshlen, searchwindowsize=None):
    first = None
    best_index = -1
    best_text = ""
    for index, text in strings:
        if searchwindowsize is None:
            offset = -(freshlen + len(text))
        else:
            offset = -searchwindowsize
        position = buffer.find(text, offset)
        if position < 0:
            continue
        if first is None or position < first or (
            position == first and len(text) > len(best_text)
        ):
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
