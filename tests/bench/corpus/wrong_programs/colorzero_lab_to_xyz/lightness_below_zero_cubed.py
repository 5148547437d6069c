# Y chooses its part by the size of l without sign, so l below -8 is cubed
from collections import namedtuple

XYZ = namedtuple("XYZ", ("x", "y", "z"))
D65 = (0.95047, 1.0, 1.08883)


def _ratio(response):
    if response > 6 / 29:
        return response ** 3
    return 108 / 841 * (response - 4 / 29)


def _white(white):
    white = list(white)[:3]
    if len(white) < 3:
        raise TypeError("white needs three coordinates")
    return white


def lab_to_xyz(l, a, b, white=D65):
    xw, yw, zw = _white(white)
    fy = (l + 16) / 116
    y = fy ** 3 if abs(l) > 8 else 108 / 841 * (fy - 4 / 29)
    x, z = _ratio(fy + a / 500), _ratio(fy - b / 200)
    return XYZ(x * xw, y * yw, z * zw)
