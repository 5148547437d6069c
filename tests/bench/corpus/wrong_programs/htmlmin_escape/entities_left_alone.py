# Wrong: an ampersand that begins an entity is left as it is
import re

def escape(s, quote=True):
    s = re.sub(r"&(?!\w+;|#\w+;)", "&amp;", s)
    s = s.replace("<", "&lt;")
    s = s.replace(">", "&gt;")
    if quote:
        s = s.replace('"', "&quot;")
        s = s.replace("'", "&#x27;")
    return s
