# Wrong: drops the leading term of a nine-bit polynomial, as is done with bytes, but does not drop the bit that a byte would lose.
def gf_mult_noLUT(x, y, prim=0, field_charac_full=256, carryless=True):
    if 0x100 <= prim < 0x200:
        prim &= 0xFF
    r = 0
    while y:
        if y & 1:
            r = r ^ x if carryless else r + x
        y >>= 1
        x <<= 1
        if prim > 0 and x & field_charac_full:
            x ^= prim
    return r
