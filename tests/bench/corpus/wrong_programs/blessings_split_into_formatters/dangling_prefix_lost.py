# Wrong: a prefix at the end of the text, with nothing after it, is never put out.

_PREFIXES = ("on", "bright", "on_bright")


def split_into_formatters(compound: str) -> list[str]:
    segments = []
    pending = None
    for part in compound.split("_"):
        segment = part if pending is None else pending + "_" + part
        if segment in _PREFIXES:
            pending = segment
        else:
            segments.append(segment)
            pending = None
    return segments
