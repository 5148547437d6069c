# Wrong: at most six entries of c are used (order 6), so the seventh, c[6], of a sine series of order 6 is lost.
ORDER = 6


def SinCosSeries(sinp, sinx, cosx, c):
    k = min(len(c), ORDER)
    n = k - sinp
    ar = 2 * (cosx - sinx) * (cosx + sinx)
    y1 = 0
    if n & 1:
        k -= 1
        y0 = c[k]
    else:
        y0 = 0
    for _ in range(n // 2):
        k -= 1
        y1 = ar * y0 - y1 + c[k]
        k -= 1
        y0 = ar * y1 - y0 + c[k]
    if sinp:
        return 2 * sinx * cosx * y0
    return cosx * (y0 - y1)
