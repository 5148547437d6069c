# Wrong: an x below a fixed tolerance counts as zero, although y may be as small.
import math


def _degrees(y, x):
    steep = abs(y) > abs(x)
    if steep:
        x, y = y, x
    back = x < 0
    if back:
        x = -x
    angle = math.degrees(math.atan2(y, x))
    if steep:
        return angle - 90 if back else 90 - angle
    return math.copysign(180, y) - angle if back else angle


def atan2d(y, x):
    if abs(x) < 1e-9 and y != 0:
        return math.copysign(90.0, y)
    return _degrees(y, x)
