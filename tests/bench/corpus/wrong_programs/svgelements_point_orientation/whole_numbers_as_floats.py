# Wrong: whole numbers are turned into floating-point numbers, which are not exact for large ones
def orientation(p, q, r):
    (px, py), (qx, qy), (rx, ry) = [map(float, point[:2]) for point in (p, q, r)]
    v = (qy - py) * (rx - qx) - (qx - px) * (ry - qy)
    if v == 0:
        return 0
    return 1 if v > 0 else 2
