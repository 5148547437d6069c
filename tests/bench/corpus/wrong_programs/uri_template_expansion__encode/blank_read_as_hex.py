# wrong: a triplet is whatever int(..., 16) can read, which also takes a blank or a sign before a digit
def is_triplet(text):
    if len(text) != 3 or text[0] != "%":
        return False
    try:
        int(text[1:], 16)
    except ValueError:
        return False
    return True


def expansion_encode(value, legal, pct_encoded):
    out = ""
    i = 0
    while i < len(value):
        char = value[i]
        if pct_encoded and is_triplet(value[i:i + 3]):
            out += value[i:i + 3]
            i += 3
            continue
        if char in legal:
            out += char
        else:
            out += "".join(f"%{byte:02X}" for byte in char.encode("utf8"))
        i += 1
    return out
