# wrong: counts to 4 in place of 5, so the last entry of the table is never used
GENERATOR = [996825010, 642813549, 513874426, 1027748829, 705979059]


def bech32_polymod(values: list[int]) -> int:
    chk = 1
    for value in values:
        top = chk >> 25
        chk = ((chk & 0x1FFFFFF) << 5) ^ value
        for i in range(len(GENERATOR) - 1):
            if (top >> i) & 1:
                chk ^= GENERATOR[i]
    return chk
