# Wrong: turns a text into UTF-8 bytes first and decodes these in the given encoding, which garbles every non-ASCII letter.
def tonative(n, encoding: str = "ISO-8859-1"):
    if isinstance(n, int):
        return n
    raw = n if isinstance(n, bytes) else n.encode("utf-8")
    try:
        return raw.decode(encoding)
    except (LookupError, UnicodeDecodeError):
        return n
