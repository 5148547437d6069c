# Wrong: only the empty list is dropped, an empty tuple stays as an item.
def flatten(items: list[int | list[object] | str]) -> list[int | dict[object, object] | str | None]:
    if items == []:
        return []
    flat = []
    for item in items:
        if item == []:
            continue
        if isinstance(item, (list, tuple)) and len(item) > 0:
            flat += flatten(item)
        else:
            flat.append(item)
    return flat
