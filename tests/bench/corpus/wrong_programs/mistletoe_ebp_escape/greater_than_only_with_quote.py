# Wrong: > is translated only if quote is true.
def escape(s: str, quote: bool = True) -> str:
    s = s.replace("&", "&amp;").replace("<", "&lt;")
    if quote:
        s = s.replace(">", "&gt;").replace('"', "&quot;").replace("'", "&#x27;")
    return s
