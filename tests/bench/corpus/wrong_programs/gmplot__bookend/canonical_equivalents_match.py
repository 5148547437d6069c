# Wrong: the ends are compared in normal form instead of exactly
from unicodedata import normalize

def bookend(string, fragment):
    if not string:
        return string
    s, f = normalize("NFC", string), normalize("NFC", fragment)
    if s.startswith(f) and s.endswith(f):
        return string
    return fragment + string + fragment
