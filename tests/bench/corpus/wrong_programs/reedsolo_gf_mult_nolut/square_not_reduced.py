# Wrong: the fast path for squares spreads the bits of x but forgets to reduce by prim.
def gf_mult_noLUT(x, y, prim=0, field_charac_full=256, carryless=True):
    if carryless and x == y:
        # squaring over GF(2) puts a zero between the bits
        return int("0".join(bin(x)[2:]), 2)
    r = 0
    while y:
        if y & 1:
            r = r ^ x if carryless else r + x
        y >>= 1
        x <<= 1
        if prim > 0 and x & field_charac_full:
            x ^= prim
    return r
