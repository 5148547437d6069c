# wrong: percent-encoded triplets are kept also where pct_encoded is false
import re

TRIPLET = re.compile("%[0-9A-Fa-f]{2}")


def expansion_encode(value, legal, pct_encoded):
    out = []
    pos = 0
    while pos < len(value):
        triplet = TRIPLET.match(value, pos)
        if triplet:
            out.append(triplet.group())
            pos = triplet.end()
            continue
        char = value[pos]
        if char in legal:
            out.append(char)
        else:
            out.extend("%%%02X" % b for b in char.encode("utf-8"))
        pos += 1
    return "".join(out)
