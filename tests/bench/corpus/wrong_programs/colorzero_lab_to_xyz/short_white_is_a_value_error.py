# a white of fewer than three numbers raises ValueError, from unpacking, not TypeError
from collections import namedtuple

XYZ = namedtuple("XYZ", ("x", "y", "z"))
D65 = (0.95047, 1.0, 1.08883)


def _ratio(response):
    if response > 6 / 29:
        return response ** 3
    return 108 / 841 * (response - 4 / 29)


def _white(white):
    x, y, z = list(white)[:3]
    return x, y, z


def lab_to_xyz(l, a, b, white=D65):
    fy = (l + 16) / 116
    fx = fy + a / 500
    fz = fy - b / 200
    xw, yw, zw, *_ = _white(white)
    return XYZ(_ratio(fx) * xw, _ratio(fy) * yw, _ratio(fz) * zw)
