# WRONG: simple names get a suffix too
import hashlib
import re


def to_css_class(s):
    suffix = hashlib.md5(s.encode("utf8")).hexdigest()[:6]
    t = s.lstrip("_").lstrip("-")
    t = "-".join(t.split())
    t = re.sub(r"[^a-zA-Z0-9_\-]", "", t)
    return "-".join(p for p in (t, suffix) if p)
