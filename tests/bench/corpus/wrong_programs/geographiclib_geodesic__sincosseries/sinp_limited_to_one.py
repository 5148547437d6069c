# Wrong: sinp is taken for a flag and any value above 1 is treated as 1, so the sum starts at c[1] and not at c[sinp].
def SinCosSeries(sinp, sinx, cosx, c):
    sinp = min(sinp, 1)
    ar = 2 * (cosx - sinx) * (cosx + sinx)
    y0 = y1 = 0
    for i in range(len(c) - 1, sinp - 1, -1):
        y0, y1 = ar * y0 - y1 + c[i], y0
    return 2 * sinx * cosx * y0 if sinp else cosx * (y0 - y1)
