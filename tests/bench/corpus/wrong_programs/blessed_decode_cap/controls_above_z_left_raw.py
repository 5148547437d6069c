# only Ctrl-A to Ctrl-Z are written as ^X; U+001C to U+001F are left raw
NAMED = {"\x1b": "\\E", "\r": "\\r", "\n": "\\n", "\t": "\\t", "\x00": "^@", "\x7f": "^?"}


def decode_cap(value: str) -> str:
    out = []
    for ch in value:
        if ch in NAMED:
            out.append(NAMED[ch])
        elif 1 <= ord(ch) <= 26:
            out.append("^" + chr(ord(ch) + 64))
        else:
            out.append(ch)
    return "".join(out)
