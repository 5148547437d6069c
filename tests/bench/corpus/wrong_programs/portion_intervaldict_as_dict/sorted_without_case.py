# wrong: sorts the keys without regard to case instead of by code point


def interval_dict_as_dict(storage: dict[str, int | list[object] | dict[object, object] | str | None], atomic: bool = False) -> dict[str, int | list[object] | dict[object, object] | str | None]:
    result = {}
    for key in sorted(storage, key=str.lower):
        for part in (key if atomic else [key]):
            result[part] = storage[key]
    return result
