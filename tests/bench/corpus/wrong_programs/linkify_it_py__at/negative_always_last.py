# Wrong: every negative position gives the last item
def at(candidates: list[int | list[object] | dict[object, object] | str | None], position: int) -> int | list[object] | dict[object, object] | str | None:
    if not candidates:
        return None
    if position < 0:
        return candidates[-1]
    return candidates[position] if position < len(candidates) else None
