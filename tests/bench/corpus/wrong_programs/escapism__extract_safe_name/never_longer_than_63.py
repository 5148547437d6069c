# the length is also capped to 63, the limit of a DNS label
import re


def extract_safe_name(name, max_length):
    max_length = min(max_length, 63)
    safe = re.sub(r"[^a-z0-9]+", "-", name.lower())
    safe = safe.lstrip("-")[:max_length].rstrip("-")
    if safe and safe[0].isdigit():
        safe = "x-" + safe[: max_length - 2]
    if not safe:
        safe = "x"
    return safe
