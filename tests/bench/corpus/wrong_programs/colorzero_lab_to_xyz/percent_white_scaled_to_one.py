# a white with Y of 100 is brought to the scale with Y of 1
from collections import namedtuple

XYZ = namedtuple("XYZ", ("x", "y", "z"))
D65 = (0.95047, 1.0, 1.08883)


def _ratio(response):
    if response > 6 / 29:
        return response ** 3
    return 108 / 841 * (response - 4 / 29)


def _white(white):
    white = tuple(white)[:3]
    if len(white) < 3:
        raise TypeError("white needs three coordinates")
    if white[1] == 100:
        white = tuple(c / 100 for c in white)
    return white


def lab_to_xyz(l, a, b, white=D65):
    fy = (l + 16) / 116
    fx = fy + a / 500
    fz = fy - b / 200
    xw, yw, zw, *_ = _white(white)
    return XYZ(_ratio(fx) * xw, _ratio(fy) * yw, _ratio(fz) * zw)
