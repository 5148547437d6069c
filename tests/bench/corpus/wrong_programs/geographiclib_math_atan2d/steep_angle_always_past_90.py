# Wrong: where abs(y) > abs(x) the rest is always added to 90, right only for a negative x.
import math


def atan2d(y, x):
    if abs(y) > abs(x):
        rest = math.degrees(math.atan2(abs(x), abs(y)))
        return math.copysign(90.0 + rest, y)
    if x < 0:
        return math.copysign(180, y) - math.degrees(math.atan2(y, -x))
    return math.degrees(math.atan2(y, x))
