# Wrong: the slash is translated as well when quote is true.
def escape(s: str, quote: bool = True) -> str:
    s = s.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    if quote:
        s = s.replace('"', "&quot;").replace("'", "&#x27;").replace("/", "&#x2F;")
    return s
