# Wrong: a half is rounded up.
import math


def dpi(px_per_meter):
    if px_per_meter == 0:
        return 96
    return math.floor(px_per_meter * 0.0254 + 0.5)
