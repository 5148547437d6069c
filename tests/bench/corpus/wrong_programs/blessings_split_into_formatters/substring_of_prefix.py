# Wrong: the last segment is looked for inside the text "on_bright", so pieces of it such as "right" count as prefixes too.


def split_into_formatters(compound: str) -> list[str]:
    segments = []
    for part in compound.split("_"):
        if segments and segments[-1] and segments[-1] in "on_bright":
            segments[-1] += "_" + part
        else:
            segments.append(part)
    return segments
