# wrong: NUL characters at the end of a text are cut off, as if it were a C string; text is to be returned as is
def force_str(s, encoding, errors="strict"):
    if isinstance(s, str):
        return s.rstrip("\0")
    return str(s)
