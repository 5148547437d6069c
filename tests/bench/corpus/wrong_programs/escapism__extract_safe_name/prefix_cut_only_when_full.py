# before x- is put in front, it is cut only if the name has the full length, so one shorter by one gets too long
import re


def extract_safe_name(name, max_length):
    safe = re.sub(r"[^a-z0-9]+", "-", name.lower())
    safe = safe.lstrip("-")[:max_length].rstrip("-")
    if not safe:
        return "x"
    if safe[0].isdigit():
        if len(safe) >= max_length:
            safe = safe[: max_length - 2]
        safe = "x-" + safe
    return safe
