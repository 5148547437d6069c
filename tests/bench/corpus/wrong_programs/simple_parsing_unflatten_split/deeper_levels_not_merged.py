# wrong: merges at the first level only; from the second level on a later key replaces what an earlier one made


def unflatten_split(flattened: dict[str, int | dict[object, object]], sep: str = '.', recursive: bool = False) -> dict[str, int | dict[object, object]]:
    result = {}
    for key, value in sorted(flattened.items(), key=lambda item: item[0]):
        if recursive and isinstance(value, dict):
            value = unflatten_split(value, sep, recursive)
        head, *rest = key.split(sep)
        if not rest:
            result[head] = value
            continue
        for part in reversed(rest):
            value = {part: value}
        result.setdefault(head, {}).update(value)
    return result
