# Wrong: two thirds is rounded to 0.66 as the end of the falling part
def hue2rgb(v1: float, v2: float, vH: float) -> float:
    while vH < 0:
        vH += 1
    while vH > 1:
        vH -= 1
    if 6 * vH < 1:
        return v1 + (v2 - v1) * 6 * vH
    if vH < 0.5:
        return v2
    if vH < 0.66:
        return v1 + (v2 - v1) * (2.0 / 3 - vH) * 6
    return v1
