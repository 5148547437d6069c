# WRONG: empty parts vanish
import re


def _unescape(s):
    return re.sub(r"\\([\\,;:nN])", lambda m: "\n" if m.group(1) in "nN" else m.group(1), s)


def split_on_unescaped_comma(text):
    if not text:
        return [""]
    parts = []
    current = []
    i = 0
    while i < len(text):
        ch = text[i]
        if ch == "\\" and i + 1 < len(text):
            current.append(ch)
            current.append(text[i + 1])
            i += 2
            continue
        if ch == ",":
            parts.append(_unescape("".join(current)))
            current = []
        else:
            current.append(ch)
        i += 1
    parts.append(_unescape("".join(current)))
    return [p for p in parts if p]
