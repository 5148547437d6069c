# Wrong: whether a tag precedes the final release is asked of its name before the replacement, so the dash stays before "rc", "pre" and "preview".
import re

_COMPONENT = re.compile(r"(\d+ | [a-z]+ | \.| -)", re.VERBOSE)
_REPLACE = {"pre": "c", "preview": "c", "-": "final-", "rc": "c", "dev": "@"}
_ZERO = "0" * 8


def parse_version(s: str):
    parts = []

    def drop(what):
        while parts and parts[-1] == what:
            parts.pop()

    for name in _COMPONENT.split(s.lower()):
        if not name or name == ".":
            continue
        if name[0] in "0123456789":
            parts.append(name.zfill(8))
            continue
        part = _REPLACE.get(name, name)
        if name != "-" and name < "final":
            drop("*final-")
        drop(_ZERO)
        parts.append("*" + part)
    drop(_ZERO)
    parts.append("*final")
    return tuple(parts)
