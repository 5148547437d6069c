# Wrong: a text that already begins and ends with a quote is returned unchanged instead of being quoted and escaped.
import re

_TOKEN = re.compile(r"[a-zA-Z0-9-!#$%&'*+.^_`|~]+")


def header_quote(val: str) -> str:
    if _TOKEN.fullmatch(val):
        return val
    if len(val) >= 2 and val[0] == val[-1] == '"':
        return val
    return '"' + val.replace("\\", "\\\\").replace('"', '\\"') + '"'
