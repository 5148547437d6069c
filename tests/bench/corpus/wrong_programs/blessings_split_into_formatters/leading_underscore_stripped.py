# Wrong: underscores at the start are dropped, though the empty segments before them belong to the result.

_PREFIXES = frozenset(["on", "bright", "on_bright"])


def split_into_formatters(compound: str) -> list[str]:
    segments = []
    for part in compound.lstrip("_").split("_"):
        if segments and segments[-1] in _PREFIXES:
            segments[-1] = segments[-1] + "_" + part
        else:
            segments.append(part)
    return segments
