# Wrong: an empty list or map as end index counts as missing
def ascii_doc_file_get_next_index(elements: list[dict[str, int | list[object] | dict[object, object] | str | None]], lines: list[str], current_i: int, element_type: str) -> int | list[object] | dict[object, object] | str | None:
    if elements:
        last = elements[-1]
        if "end_index" in last and last["end_index"] not in ([], {}):
            return last["end_index"]
    return current_i + 1
