# Wrong: double quotation marks are escaped even without the flag
def escape(s, quote=True):
    s = s.replace("&", "&amp;")
    s = s.replace("<", "&lt;")
    s = s.replace(">", "&gt;")
    s = s.replace('"', "&quot;")
    if quote:
        s = s.replace("'", "&#x27;")
    return s
