# Wrong: a form feed and a vertical tab do not end a line here, though both are line breaks.
import re

_LINE_BREAK = re.compile("\r\n|[\n\r\x1c-\x1e\x85\u2028\u2029]")


def split_and_strip_non_empty_lines(text: str) -> list[str]:
    stripped = (line.strip() for line in _LINE_BREAK.split(text))
    return [line for line in stripped if line]
