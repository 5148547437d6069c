# wrong: stops after the first set bit of the top bits; the table entries of the other set bits are not mixed in
GENERATOR = [996825010, 642813549, 513874426, 1027748829, 705979059]


def bech32_polymod(values: list[int]) -> int:
    chk = 1
    for value in values:
        top = chk >> 25
        chk = ((chk & 33554431) << 5) ^ value
        for i, g in enumerate(GENERATOR):
            if top & (1 << i):
                chk ^= g
                break
    return chk
