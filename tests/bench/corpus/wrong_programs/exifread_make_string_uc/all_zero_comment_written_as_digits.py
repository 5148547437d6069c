# WRONG: only an all-zero first 8 bytes counts as empty; an all-zero rest is written as a row of digits 0.

def make_string(seq):
    text = ""
    for item in seq:
        if isinstance(item, int) and 32 <= item < 256:
            text += chr(item)
    if not text:
        if isinstance(seq, list):
            text = "".join(show(item) for item in seq)
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
        if set(head) == {"0"}:
            head = ""
        if head in ("ASCII", "UNICODE", "JIS", ""):
            seq = seq[8:]
    return make_string(seq)
