# WRONG: leading _ and - are not stripped
import hashlib
import re


def to_css_class(s):
    if re.match(r"^[a-zA-Z]+[_a-zA-Z0-9-]*$", s):
        return s
    suffix = hashlib.md5(s.encode("utf8")).hexdigest()[:6]
    t = s
    t = "-".join(t.split())
    t = re.sub(r"[^a-zA-Z0-9_\-]", "", t)
    return "-".join(p for p in (t, suffix) if p)
