# Wrong: a path of several one-character separators and nothing else counts as the root, [""], like a single separator.


def split_path(path: str, seps: list[str]) -> list[str]:
    if not path:
        return []
    for sep in seps:
        if sep not in path:
            continue
        if path == sep or set(path) == {sep}:
            return [""]
        return [item for item in path.split(sep) if item]
    return [path]
