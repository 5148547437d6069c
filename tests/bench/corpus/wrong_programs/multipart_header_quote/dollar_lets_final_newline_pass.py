# Wrong: matches with "$" instead of the whole text, so a token with one line feed at its end is left unquoted.
import re

_TOKEN = re.compile(r"[a-zA-Z0-9-!#$%&'*+.^_`|~]+$")


def header_quote(val: str) -> str:
    if _TOKEN.match(val):
        return val
    return '"' + val.replace("\\", "\\\\").replace('"', '\\"') + '"'
