# wrong: a value of zero is skipped, though it too shifts the running value
GENERATOR = [996825010, 642813549, 513874426, 1027748829, 705979059]


def bech32_polymod(values: list[int]) -> int:
    chk = 1
    for value in values:
        if not value:
            continue
        top = chk >> 25
        chk = ((chk & 0x1FFFFFF) << 5) ^ value
        for i in range(5):
            if (top >> i) & 1:
                chk ^= GENERATOR[i]
    return chk
