# wrong: types in square brackets are refused
import re


def contains_field_definition(line: str) -> bool:
    line = line.partition("#")[0]
    if ":" not in line:
        return False
    before = line.partition("=")[0].rstrip()
    name, _, kind = before.partition(":")
    if ":" in kind:
        return False
    name = name.strip()
    return name.isidentifier() and re.fullmatch(r"[^\[\]]*", kind) is not None
