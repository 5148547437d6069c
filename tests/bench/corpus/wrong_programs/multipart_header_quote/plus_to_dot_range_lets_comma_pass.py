# Wrong: the hyphen stands between "+" and "." in the character class and makes a range, which lets the comma through.
import re

_TOKEN = re.compile(r"[a-zA-Z0-9!#$%&'*+-.^_`|~]+")


def header_quote(val: str) -> str:
    if _TOKEN.fullmatch(val):
        return val
    return '"' + val.replace("\\", "\\\\").replace('"', '\\"') + '"'
