# Wrong: blanks at the end are dropped before the text is found too long.
def shorten(text, width, suffix="..."):
    if len(text) <= width:
        return text
    text = text.rstrip()
    if len(text) <= width:
        return text
    keep = width - len(suffix)
    if keep > 0:
        return text[:keep] + suffix
    return suffix[len(suffix) - width:]
