# WRONG: the checksum is taken from the cleaned name
import hashlib
import re


def to_css_class(s):
    if re.match(r"^[a-zA-Z]+[_a-zA-Z0-9-]*$", s):
        return s
    t = s.lstrip("_").lstrip("-")
    t = "-".join(t.split())
    t = re.sub(r"[^a-zA-Z0-9_\-]", "", t)
    suffix = hashlib.md5(t.encode("utf8")).hexdigest()[:6]
    return "-".join(p for p in (t, suffix) if p)
