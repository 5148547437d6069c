# Wrong: null items are skipped and not counted
def at(candidates: list[int | list[object] | dict[object, object] | str | None], position: int) -> int | list[object] | dict[object, object] | str | None:
    present = [c for c in candidates if c is not None]
    if -len(present) <= position < len(present):
        return present[position]
    return None
