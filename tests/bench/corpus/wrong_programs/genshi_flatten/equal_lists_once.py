# Wrong: a guard against cycles compares lists by content, so a second equal list is skipped.
def flatten(items: list[int | list[object] | str], _seen=None) -> list[int | dict[object, object] | str | None]:
    seen = [] if _seen is None else _seen
    out = []
    for item in items:
        if isinstance(item, (list, tuple)):
            if item in seen:
                continue
            seen.append(item)
            out += flatten(item, seen)
        else:
            out.append(item)
    return out
