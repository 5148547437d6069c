# wrong: raises for a prefix with both small and capital letters; such a prefix is expanded as it stands
import re


def bech32_hrp_expand(hrp):
    if re.search("[a-z]", hrp) and re.search("[A-Z]", hrp):
        raise ValueError("mixed case")
    return [ord(c) >> 5 for c in hrp] + [0] + [ord(c) & 31 for c in hrp]
