# the controls from U+0080 to U+009F are treated as control characters too
NAMED = {"\x1b": "\\E", "\r": "\\r", "\n": "\\n", "\t": "\\t", "\x00": "^@", "\x7f": "^?"}


def decode_cap(value: str) -> str:
    out = []
    for ch in value:
        if ch in NAMED:
            out.append(NAMED[ch])
        elif ord(ch) < 32 or 0x80 <= ord(ch) < 0xA0:
            out.append("^" + chr((ord(ch) & 0x1F) + 64))
        else:
            out.append(ch)
    return "".join(out)
