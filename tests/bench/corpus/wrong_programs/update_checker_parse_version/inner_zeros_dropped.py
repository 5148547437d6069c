# Wrong: every part that is zero is left out, not only the zeros at the end of a series of numbers.
import re

_COMPONENT = re.compile(r"(\d+ | [a-z]+ | \.| -)", re.VERBOSE)
_REPLACE = {"pre": "c", "preview": "c", "-": "final-", "rc": "c", "dev": "@"}
_ZERO = "0" * 8


def _parts(s):
    for part in _COMPONENT.split(s):
        part = _REPLACE.get(part, part)
        if not part or part == ".":
            continue
        if part[0] in "0123456789":
            yield part.zfill(8)
        else:
            yield "*" + part
    yield "*final"


def parse_version(s: str):
    parts = []
    for part in _parts(s.lower()):
        if part == _ZERO:
            continue
        if part.startswith("*") and part < "*final":
            while parts and parts[-1] == "*final-":
                parts.pop()
        parts.append(part)
    return tuple(parts)
