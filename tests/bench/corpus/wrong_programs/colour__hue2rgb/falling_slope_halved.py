# Wrong: the falling part has the slope 3 instead of 6
def hue2rgb(v1: float, v2: float, vH: float) -> float:
    while vH < 0:
        vH += 1
    while vH > 1:
        vH -= 1
    if 6 * vH < 1:
        return v1 + (v2 - v1) * 6 * vH
    if 2 * vH < 1:
        return v2
    if 3 * vH < 2:
        return v2 - (v2 - v1) * (vH - 0.5) * 3
    return v1
