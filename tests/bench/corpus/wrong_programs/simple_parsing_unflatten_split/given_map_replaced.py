# wrong: a map that is given as a value is replaced, not added to, when a longer key goes through it


def unflatten_split(flattened: dict[str, int | dict[object, object]], sep: str = '.', recursive: bool = False) -> dict[str, int | dict[object, object]]:
    nested = {}
    made = set()
    for key in sorted(flattened):
        value = flattened[key]
        if recursive and isinstance(value, dict):
            value = unflatten_split(value, sep, recursive)
        parts = key.split(sep)
        node = nested
        for depth, part in enumerate(parts[:-1], 1):
            path = tuple(parts[:depth])
            if path not in made:
                node[part] = {}
                made.add(path)
            node = node[part]
        node[parts[-1]] = value
    return nested
