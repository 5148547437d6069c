# hyphens are allowed characters of the pattern, so runs with hyphens do not become one
import re


def extract_safe_name(name, max_length):
    safe = re.sub(r"[^a-z0-9-]+", "-", name.lower())
    safe = safe.lstrip("-")[:max_length].rstrip("-")
    if safe and safe[0].isdigit():
        safe = "x-" + safe[: max_length - 2]
    return safe or "x"
