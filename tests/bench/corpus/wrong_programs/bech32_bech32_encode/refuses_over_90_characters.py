# wrong: enforces BIP173's limit of 90 characters, of which the instruction says nothing, and raises for longer results
CHARSET = "qpzry9x8gf2tvdw0s3jn54khce6mua7l"
GENERATOR = [996825010, 642813549, 513874426, 1027748829, 705979059]


def polymod(values):
    chk = 1
    for value in values:
        top = chk >> 25
        chk = (chk & 0x1FFFFFF) << 5 ^ value
        for i in range(5):
            if (top >> i) & 1:
                chk ^= GENERATOR[i]
    return chk


def hrp_expand(hrp):
    return [ord(c) >> 5 for c in hrp] + [0] + [ord(c) & 31 for c in hrp]


def create_checksum(hrp, data, const=1):
    mod = polymod(hrp_expand(hrp) + data + [0] * 6) ^ const
    return [(mod >> 5 * (5 - i)) & 31 for i in range(6)]


def bech32_encode(hrp, data):

    data = list(data)
    if len(hrp) + 1 + len(data) + 6 > 90:
        raise ValueError("a Bech32 string has at most 90 characters")
    return hrp + "1" + "".join(CHARSET[d] for d in data + create_checksum(hrp, data))
