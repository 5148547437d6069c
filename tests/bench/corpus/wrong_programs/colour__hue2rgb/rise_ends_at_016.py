# Wrong: one sixth is rounded down to 0.16 as the end of the rising part
def hue2rgb(v1: float, v2: float, vH: float) -> float:
    while vH < 0:
        vH += 1
    while vH > 1:
        vH -= 1
    if vH < 0.16:
        return v1 + (v2 - v1) * 6 * vH
    if vH < 0.5:
        return v2
    if 3 * vH < 2:
        return v1 + (v2 - v1) * (2.0 / 3 - vH) * 6
    return v1
