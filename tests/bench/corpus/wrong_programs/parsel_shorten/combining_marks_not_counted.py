# Wrong: counts characters as a reader sees them, a combining mark together with its letter.
import unicodedata


def _clusters(s):
    out = []
    for c in s:
        if out and unicodedata.combining(c):
            out[-1] += c
        else:
            out.append(c)
    return out


def shorten(text, width, suffix="..."):
    chars, tail = _clusters(text), _clusters(suffix)
    if len(chars) <= width:
        return text
    if width > len(tail):
        return "".join(chars[: width - len(tail)]) + suffix
    return "".join(tail[len(tail) - width:])
