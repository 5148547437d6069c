# Wrong: the unit separator U+001F ends a line too (the range of separators goes one too far).
import re

_LINE_BREAK = re.compile("\r\n|[\n\r\v\f\x1c-\x1f\x85\u2028\u2029]")


def split_and_strip_non_empty_lines(text: str) -> list[str]:
    stripped = (line.strip() for line in _LINE_BREAK.split(text))
    return [line for line in stripped if line]
