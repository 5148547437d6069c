# wrong: a triplet that stands for a legal character is decoded instead of being kept
HEX = "0123456789ABCDEFabcdef"


def expansion_encode(value, legal, pct_encoded):
    result = []
    skip = 0
    for index, char in enumerate(value):
        if skip:
            skip -= 1
            continue
        pair = value[index + 1:index + 3]
        if char in legal:
            result.append(char)
        elif pct_encoded and char == "%" and len(pair) == 2 and all(c in HEX for c in pair):
            plain = chr(int(pair, 16))
            result.append(plain if plain in legal else "%" + pair)
            skip = 2
        else:
            result.append("".join("%%%02X" % b for b in char.encode("utf-8")))
    return "".join(result)
