# Wrong: an angle in the fourth quadrant comes out as 270 to 360 instead of -90 to 0.
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
    if x > 0:
        angle = _degrees(abs(y), x)
        return 360.0 - angle if y < 0 else angle
    return _degrees(y, x)
