# wrong: parts below the first that are digits become integers as keys


def unflatten_split(flattened: dict[str, int | dict[object, object]], sep: str = '.', recursive: bool = False) -> dict[str, int | dict[object, object]]:
    nested = {}
    for key in sorted(flattened):
        value = flattened[key]
        if recursive and isinstance(value, dict):
            value = unflatten_split(value, sep, recursive)
        parts = key.split(sep)
        parts = parts[:1] + [int(p) if p.isdecimal() else p for p in parts[1:]]
        node = nested
        for part in parts[:-1]:
            node = node.setdefault(part, {})
        node[parts[-1]] = value
    return nested
