# Z uses the linear part only where Y does too: with l above 8 Z is always cubed
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
    fx = fy + a / 500
    fz = fy - b / 200
    z = fz ** 3 if max(fy, fz) > 6 / 29 else _ratio(fz)
    return XYZ(_ratio(fx) * xw, _ratio(fy) * yw, z * zw)
