# Wrong: the table is looked up before the part is put in lower case, so "RC" or "Dev" is not replaced.
import re

_COMPONENT = re.compile(r"(\d+ | [a-z]+ | \.| -)", re.VERBOSE | re.IGNORECASE)
_REPLACE = {"pre": "c", "preview": "c", "-": "final-", "rc": "c", "dev": "@"}
_ZERO = "0" * 8


def _parts(s):
    for part in _COMPONENT.split(s):
        part = _REPLACE.get(part, part)
        if not part or part == ".":
            continue
        part = part.lower()
        if part[0] in "0123456789":
            yield part.zfill(8)
        else:
            yield "*" + part
    yield "*final"


def parse_version(s: str):
    parts = []
    for part in _parts(s):
        if part.startswith("*"):
            if part < "*final":
                while parts and parts[-1] == "*final-":
                    parts.pop()
            while parts and parts[-1] == _ZERO:
                parts.pop()
        parts.append(part)
    return tuple(parts)
