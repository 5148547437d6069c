# Wrong: floating-point coordinates are computed with as exact fractions
from fractions import Fraction

def orientation(p, q, r):
    (px, py), (qx, qy), (rx, ry) = [[Fraction(c) for c in point[:2]] for point in (p, q, r)]
    v = (qy - py) * (rx - qx) - (qx - px) * (ry - qy)
    return 0 if v == 0 else 1 if v > 0 else 2
