# Wrong: no flat part above two thirds: the falling line goes on
def hue2rgb(v1: float, v2: float, vH: float) -> float:
    vH = vH % 1.0
    if vH >= 1:
        vH = 0
    if vH < 1.0 / 6:
        return v1 + (v2 - v1) * 6 * vH
    if vH < 0.5:
        return v2
    return v1 + (v2 - v1) * (2.0 / 3 - vH) * 6
