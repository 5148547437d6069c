# WRONG: takes off the NULs, then the blanks, once each, so a mixed run of both at an end is left in part.

def make_string(seq):
    text = ""
    for item in seq:
        if isinstance(item, int) and 32 <= item < 256:
            text += chr(item)
    if not text:
        if isinstance(seq, list):
            text = "".join(show(item) for item in seq)
            if set(text) == {"0"}:
                return ""
        else:
            text = seq
    return text.strip("\x00").strip(" ")


def in_order(value):
    if isinstance(value, dict):
        return {k: in_order(value[k]) for k in sorted(value)}
    if isinstance(value, list):
        return [in_order(v) for v in value]
    return value


def show(item):
    return str(in_order(item))


def make_string_uc(seq):
    if not isinstance(seq, str):
        if make_string(seq[:8]) in ("ASCII", "UNICODE", "JIS", ""):
            seq = seq[8:]
    return make_string(seq)
