# Wrong: of the candidates that occur it takes the one that occurs most often, not the first in the given order.


def split_path(path: str, seps: list[str]) -> list[str]:
    if not path:
        return []
    found = [sep for sep in seps if sep and sep in path]
    if not found:
        return [path]
    sep = max(found, key=path.count)
    if path == sep:
        return [""]
    return [item for item in path.split(sep) if item]
