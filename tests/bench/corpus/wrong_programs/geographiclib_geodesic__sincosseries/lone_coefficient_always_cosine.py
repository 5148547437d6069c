# Wrong: the short cut for a single coefficient gives cosx * c[0] for the sine series as well, which does not use c[0].
def SinCosSeries(sinp, sinx, cosx, c):
    if len(c) == 1 and sinp >= 0:
        return cosx * c[0]
    ar = 2 * (cosx - sinx) * (cosx + sinx)
    y0 = y1 = 0
    for i in range(len(c) - 1, sinp - 1, -1):
        y0, y1 = ar * y0 - y1 + c[i], y0
    return 2 * sinx * cosx * y0 if sinp else cosx * (y0 - y1)
