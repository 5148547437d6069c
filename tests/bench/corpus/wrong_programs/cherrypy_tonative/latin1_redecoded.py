# Wrong: takes a text for WSGI-style Latin-1 bytes and decodes it again in the given encoding, though texts are returned unchanged.
def tonative(n, encoding: str = "ISO-8859-1"):
    if isinstance(n, str):
        try:
            return n.encode("ISO-8859-1").decode(encoding)
        except (LookupError, UnicodeError):
            return n
    return n
