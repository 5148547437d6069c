# Wrong: passes a text through the encoding with errors ignored, so characters outside the encoding vanish; a text is already native.
def tonative(n, encoding: str = "ISO-8859-1"):
    if not isinstance(n, str):
        return n
    try:
        return n.encode(encoding, "ignore").decode(encoding)
    except LookupError:
        return n
