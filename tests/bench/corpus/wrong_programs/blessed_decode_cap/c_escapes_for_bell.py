# bell, vertical tab, backspace and form feed get C escapes (\\a, \\v, \\b, \\f) instead of ^G, ^K, ^H, ^L
NAMED = {"\x1b": "\\E", "\r": "\\r", "\n": "\\n", "\t": "\\t", "\x00": "^@", "\x7f": "^?", "\x07": "\\a", "\x0b": "\\v", "\x08": "\\b", "\x0c": "\\f"}


def decode_cap(value: str) -> str:
    out = []
    for ch in value:
        if ch in NAMED:
            out.append(NAMED[ch])
        elif ord(ch) < 32:
            out.append("^" + chr(ord(ch) + 64))
        else:
            out.append(ch)
    return "".join(out)
