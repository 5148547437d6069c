# Wrong: a missing coordinate counts as zero instead of being an error
def orientation(p, q, r):
    (px, py), (qx, qy), (rx, ry) = [(list(point) + [0, 0])[:2] for point in (p, q, r)]
    v = (qy - py) * (rx - qx) - (qx - px) * (ry - qy)
    if v == 0:
        return 0
    return 1 if v > 0 else 2
