# Wrong: an & that begins one of the known entities is left as it is.
import re


def escape(s: str, quote: bool = True) -> str:
    s = re.sub(r"&(?!(?:amp|lt|gt|quot);)", "&amp;", s)
    s = s.replace("<", "&lt;").replace(">", "&gt;")
    if quote:
        s = s.replace('"', "&quot;").replace("'", "&#x27;")
    return s
