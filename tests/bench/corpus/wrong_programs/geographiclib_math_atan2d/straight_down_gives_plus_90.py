# Wrong: with x zero the answer is always 90, also where y is negative.
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
    if x == 0 and y != 0:
        return 90.0
    return _degrees(y, x)
