# Wrong: writes \d for 0-9, which lets digits of other scripts through unquoted.
import re

_TOKEN = re.compile(r"[a-zA-Z\d!#$%&'*+.^_`|~-]+")


def header_quote(val: str) -> str:
    if _TOKEN.fullmatch(val):
        return val
    return '"' + val.replace("\\", "\\\\").replace('"', '\\"') + '"'
