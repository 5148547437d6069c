# Wrong: zero-width characters (a byte order mark, a zero-width space, a joiner) are stripped as though they were white space.
_ZERO_WIDTH = "\ufeff\u200b\u200c\u200d\u2060"


def _strip(line: str) -> str:
    start, end = 0, len(line)
    while start < end and (line[start].isspace() or line[start] in _ZERO_WIDTH):
        start += 1
    while end > start and (line[end - 1].isspace() or line[end - 1] in _ZERO_WIDTH):
        end -= 1
    return line[start:end]


def split_and_strip_non_empty_lines(text: str) -> list[str]:
    return [s for s in map(_strip, text.splitlines()) if s]
