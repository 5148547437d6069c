# Wrong: an empty text or list is given back as nothing
def at(candidates: list[int | list[object] | dict[object, object] | str | None], position: int) -> int | list[object] | dict[object, object] | str | None:
    if position >= len(candidates):
        return None
    item = candidates[position]
    if item == "" or item == []:
        return None
    return item
