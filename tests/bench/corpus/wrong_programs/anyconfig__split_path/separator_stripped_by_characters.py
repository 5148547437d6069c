# Wrong: the separator is stripped from the ends as a set of characters, so a longer separator eats characters of the keys.


def split_path(path: str, seps: list[str]) -> list[str]:
    if not path:
        return []
    for sep in seps:
        if sep not in path:
            continue
        if path == sep:
            return [""]
        return [item for item in path.strip(sep).split(sep) if item]
    return [path]
