# Wrong: runs of the separator are collapsed only pairwise, so three or more in a row leave an empty item inside.


def split_path(path: str, seps: list[str]) -> list[str]:
    if not path:
        return []
    for sep in seps:
        if sep not in path:
            continue
        if path == sep:
            return [""]
        items = path.replace(sep + sep, sep).split(sep)
        while items and not items[0]:
            items.pop(0)
        while items and not items[-1]:
            items.pop()
        return items
    return [path]
