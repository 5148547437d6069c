# wrong: a value that equals the default is taken for "not found"


def context_find(frames: list[dict[str, int | list[object] | dict[object, object] | str | None]], key: str, default: int | list[object] | dict[object, object] | str | None = None) -> list[int | list[object] | dict[object, object] | str | None]:
    for frame in frames:
        value = frame.get(key, default)
        if value != default:
            return value, frame
    return default, None
