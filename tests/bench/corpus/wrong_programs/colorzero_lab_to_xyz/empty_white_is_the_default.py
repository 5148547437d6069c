# an empty white is taken for none given, and the default is used
from collections import namedtuple

XYZ = namedtuple("XYZ", ("x", "y", "z"))
D65 = (0.95047, 1.0, 1.08883)


def _ratio(response):
    if response > 6 / 29:
        return response ** 3
    return 108 / 841 * (response - 4 / 29)


def _white(white):
    white = list(white or D65)
    if len(white) < 3:
        raise TypeError("white needs three coordinates")
    return white[:3]


def lab_to_xyz(l, a, b, white=D65):
    fy = (l + 16) / 116
    fx = fy + a / 500
    fz = fy - b / 200
    xw, yw, zw, *_ = _white(white)
    return XYZ(_ratio(fx) * xw, _ratio(fy) * yw, _ratio(fz) * zw)
