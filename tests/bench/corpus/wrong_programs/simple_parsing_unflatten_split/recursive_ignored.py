# wrong: recursive is ignored, nested maps are never unflattened


def unflatten_split(flattened: dict[str, int | dict[object, object]], sep: str = '.', recursive: bool = False) -> dict[str, int | dict[object, object]]:
    nested = {}
    for key in sorted(flattened):
        parts = key.split(sep)
        node = nested
        for part in parts[:-1]:
            node = node.setdefault(part, {})
        node[parts[-1]] = flattened[key]
    return nested
