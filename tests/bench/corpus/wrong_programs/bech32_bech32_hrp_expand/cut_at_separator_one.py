# wrong: takes the text for a whole address and expands only what stands before the digit 1
def bech32_hrp_expand(hrp):
    hrp = hrp.split("1")[0]
    return [ord(c) >> 5 for c in hrp] + [0] + [ord(c) & 31 for c in hrp]
