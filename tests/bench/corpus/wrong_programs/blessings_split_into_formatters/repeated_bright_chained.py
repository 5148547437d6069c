# Wrong: any number of "bright" parts in a row is taken as prefix, where only "on", "bright" and "on_bright" are prefixes.
import re

_SEGMENT = re.compile(r"(?:on_)?(?:bright_)*[^_]*")


def split_into_formatters(compound: str) -> list[str]:
    segments = []
    position = 0
    while True:
        match = _SEGMENT.match(compound, position)
        segments.append(match.group())
        position = match.end()
        if position >= len(compound):
            return segments
        position += 1
        if position == len(compound):
            segments.append("")
            return segments
