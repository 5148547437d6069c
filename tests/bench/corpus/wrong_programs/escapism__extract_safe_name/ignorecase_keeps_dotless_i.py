# the pattern ignores case, by which dotless i and long s count as letters and stay
import re

UNSAFE = re.compile(r"[^a-z0-9]+", re.IGNORECASE)


def extract_safe_name(name, max_length):
    safe = UNSAFE.sub("-", name.lower()).lstrip("-")
    safe = safe[:max_length].rstrip("-")
    if not safe:
        return "x"
    if safe[0] in "0123456789":
        safe = "x-" + safe[: max_length - 2]
    return safe
