# wrong: an empty name is never found


def context_find(frames: list[dict[str, int | list[object] | dict[object, object] | str | None]], key: str, default: int | list[object] | dict[object, object] | str | None = None) -> list[int | list[object] | dict[object, object] | str | None]:
    if not key:
        return default, None
    for frame in frames:
        if key in frame:
            return frame[key], frame
    return default, None
