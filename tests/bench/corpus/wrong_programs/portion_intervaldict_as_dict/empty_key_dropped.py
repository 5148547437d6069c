# wrong: an empty key is dropped even when keys are not taken apart


def interval_dict_as_dict(storage: dict[str, int | list[object] | dict[object, object] | str | None], atomic: bool = False) -> dict[str, int | list[object] | dict[object, object] | str | None]:
    result = {}
    for key, value in sorted(storage.items(), key=lambda item: item[0]):
        if not key:
            continue
        if atomic:
            for char in key:
                result[char] = value
        else:
            result[key] = value
    return result
