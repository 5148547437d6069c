# whether it begins with a digit is looked up in the given name without ASCII punctuation, not in the safe one
import re
import string


def extract_safe_name(name, max_length):
    bare = name.lstrip(string.whitespace + string.punctuation)
    safe = re.sub(r"[^a-z0-9]+", "-", name.lower())
    safe = safe.lstrip("-")[:max_length].rstrip("-")
    if safe and bare[:1].isdigit():
        safe = "x-" + safe[: max_length - 2]
    return safe or "x"
