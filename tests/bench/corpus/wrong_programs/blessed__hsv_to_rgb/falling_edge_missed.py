# Wrong: in the odd sectors one channel falls as the hue grows; here it rises, as in the even ones.
def _hsv_to_rgb(h, s, v):
    if s == 0:
        return (int(v * 255),) * 3
    i = int(h * 6.0)
    f = h * 6.0 - i
    low = v * (1.0 - s)
    mid = v * (1.0 - s * (1.0 - f))
    r, g, b = [
        (v, mid, low),
        (mid, v, low),
        (low, v, mid),
        (low, mid, v),
        (mid, low, v),
        (v, low, mid),
    ][i % 6]
    return (int(r * 255), int(g * 255), int(b * 255))
