# wrong: empty texts, lists and maps at the front do not count as values


def iter_first(sequence: list[int | list[object] | dict[object, object] | str | None]) -> int | list[object] | dict[object, object] | str | None:
    last = None
    found = False
    for item in sequence:
        found = True
        last = item
        if isinstance(item, (str, list, dict)) and len(item) == 0:
            continue
        return item
    if not found:
        raise ValueError("iterator generated no values")
    return last
