# Wrong: sinx = 0 is taken to make every series 0, but that holds for the sine series only.
def SinCosSeries(sinp, sinx, cosx, c):
    if not sinx or not cosx:
        return 0.0
    ar = 2 * (cosx - sinx) * (cosx + sinx)
    y0 = y1 = 0
    for i in range(len(c) - 1, sinp - 1, -1):
        y0, y1 = ar * y0 - y1 + c[i], y0
    return 2 * sinx * cosx * y0 if sinp else cosx * (y0 - y1)
