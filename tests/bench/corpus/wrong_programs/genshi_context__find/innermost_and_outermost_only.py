# wrong: looks in the first and in the last frame only (local and global), not in those between


def context_find(frames: list[dict[str, int | list[object] | dict[object, object] | str | None]], key: str, default: int | list[object] | dict[object, object] | str | None = None) -> list[int | list[object] | dict[object, object] | str | None]:
    if not frames:
        return default, None
    for frame in (frames[0], frames[-1]):
        if key in frame:
            return frame[key], frame
    return default, None
