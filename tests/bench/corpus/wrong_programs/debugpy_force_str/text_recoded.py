# wrong: text is encoded and decoded again with the given encoding, so characters outside it are replaced or dropped
def force_str(s, encoding, errors="strict"):
    text = s if isinstance(s, str) else str(s)
    try:
        return text.encode(encoding, errors).decode(encoding, errors)
    except LookupError:
        return text
