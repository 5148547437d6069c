# Wrong: the remainder of a negative sector keeps its sign (as in C), so that sectors -2 and below end in the last branch.
import math


def _hsv_to_rgb(h, s, v):
    if s == 0:
        return (int(v * 255),) * 3
    x = h * 6.0
    whole = int(x)
    f = x - whole
    p = v * (1.0 - s)
    q = v * (1.0 - s * f)
    t = v * (1.0 - s * (1.0 - f))
    sector = int(math.fmod(whole, 6))
    if sector == 0:
        rgb = v, t, p
    elif sector == 1:
        rgb = q, v, p
    elif sector == 2:
        rgb = p, v, t
    elif sector == 3:
        rgb = p, q, v
    elif sector == 4:
        rgb = t, p, v
    else:
        rgb = v, p, q
    return tuple(int(c * 255) for c in rgb)
