# wrong: entries whose value is nothing (None) are left out


def interval_dict_as_dict(storage: dict[str, int | list[object] | dict[object, object] | str | None], atomic: bool = False) -> dict[str, int | list[object] | dict[object, object] | str | None]:
    result = {}
    for key in sorted(storage):
        value = storage[key]
        if value is None:
            continue
        if not atomic:
            result[key] = value
            continue
        for char in key:
            result[char] = value
    return result
