# wrong: goes through the 16-bit units of the text, so a character beyond U+FFFF counts as two
import struct


def bech32_hrp_expand(hrp):
    raw = hrp.encode("utf-16-le")
    codes = struct.unpack("<%dH" % (len(raw) // 2), raw)
    return [c >> 5 for c in codes] + [0] + [c & 31 for c in codes]
