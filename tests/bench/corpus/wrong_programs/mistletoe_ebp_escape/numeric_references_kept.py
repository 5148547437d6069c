# Wrong: an & that begins a numeric character reference is left as it is.
import re


def escape(s: str, quote: bool = True) -> str:
    s = re.sub(r"&(?!#(?:\d+|[xX][0-9a-fA-F]+);)", "&amp;", s)
    s = s.replace("<", "&lt;").replace(">", "&gt;")
    if quote:
        s = s.replace('"', "&quot;").replace("'", "&#x27;")
    return s
