# WRONG: the first 8 bytes are dropped when they start with a code name, not only when they are one.

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
    return text.strip(" \x00")


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
        head = make_string(seq[:8])
        if head == "" or head.startswith(("ASCII", "UNICODE", "JIS")):
            seq = seq[8:]
    return make_string(seq)
