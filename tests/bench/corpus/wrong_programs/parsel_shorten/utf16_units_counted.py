# Wrong: lengths are counted in UTF-16 units, an emoji as two.
def _units(s):
    return len(s.encode("utf-16-le", "surrogatepass")) // 2


def shorten(text, width, suffix="..."):
    if _units(text) <= width:
        return text
    room = width - _units(suffix)
    if room <= 0:
        return suffix[len(suffix) - width:] if width < len(suffix) else suffix
    kept = ""
    for c in text:
        if _units(kept + c) > room:
            break
        kept += c
    return kept + suffix
