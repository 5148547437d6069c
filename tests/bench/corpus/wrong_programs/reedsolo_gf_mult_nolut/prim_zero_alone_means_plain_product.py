# Wrong: prim = 0 gives the ordinary product even when carryless is true; both conditions are needed.
def gf_mult_noLUT(x, y, prim=0, field_charac_full=256, carryless=True):
    if prim == 0:
        return x * y
    r = 0
    while y:
        if y & 1:
            r = r ^ x if carryless else r + x
        y >>= 1
        x <<= 1
        if prim > 0 and x & field_charac_full:
            x ^= prim
    return r
