# wrong: off by one: the low 24 bits are kept in place of the low 25
GENERATOR = [996825010, 642813549, 513874426, 1027748829, 705979059]
MASK = (1 << 24) - 1


def bech32_polymod(values: list[int]) -> int:
    chk = 1
    for value in values:
        top = chk >> 25
        chk = ((chk & MASK) << 5) ^ value
        for i in range(5):
            chk ^= GENERATOR[i] if (top >> i) & 1 else 0
    return chk
