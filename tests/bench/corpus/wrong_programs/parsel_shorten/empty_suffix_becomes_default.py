# Wrong: an empty suffix is replaced by the default.
def shorten(text, width, suffix=None):
    suffix = suffix or "..."
    if len(text) <= width:
        return text
    if width > len(suffix):
        return text[: width - len(suffix)] + suffix
    return suffix[len(suffix) - width:]
