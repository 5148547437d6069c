# wrong: goes on into a first element that is a map and returns the first value in it


def iter_first(sequence: list[int | list[object] | dict[object, object] | str | None]) -> int | list[object] | dict[object, object] | str | None:
    for item in sequence:
        if isinstance(item, dict) and item:
            return next(iter(item.values()))
        return item
    raise ValueError("no values")
