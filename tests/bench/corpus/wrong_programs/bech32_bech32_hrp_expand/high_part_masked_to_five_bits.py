# wrong: the high part is cut to five bits as the low part is, which loses bits from U+0400 on
def bech32_hrp_expand(hrp):
    codes = [ord(c) for c in hrp]
    high = [(c >> 5) & 31 for c in codes]
    low = [c & 31 for c in codes]
    return high + [0] + low
