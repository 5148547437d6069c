# Wrong: prim = 0 in carry-less mode is taken for 'not given' and replaced by 0x11d, so the product is reduced.
def gf_mult_noLUT(x, y, prim=0, field_charac_full=256, carryless=True):
    if carryless and not prim:
        prim = 0x11D
    r = 0
    while y:
        if y & 1:
            r = r ^ x if carryless else r + x
        y >>= 1
        x <<= 1
        if prim > 0 and x & field_charac_full:
            x ^= prim
    return r
