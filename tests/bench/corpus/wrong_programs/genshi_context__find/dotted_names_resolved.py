# wrong: a name with dots that is not in a frame is looked up in nested maps


def context_find(frames: list[dict[str, int | list[object] | dict[object, object] | str | None]], key: str, default: int | list[object] | dict[object, object] | str | None = None) -> list[int | list[object] | dict[object, object] | str | None]:
    for frame in frames:
        if key in frame:
            return frame[key], frame
        value = frame
        for part in key.split("."):
            if isinstance(value, dict) and part in value:
                value = value[part]
            else:
                break
        else:
            return value, frame
    return default, None
