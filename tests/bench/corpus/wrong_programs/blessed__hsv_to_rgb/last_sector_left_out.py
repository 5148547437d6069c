# Wrong: the sixth sector of the hue circle (magenta to red) is handled as the fifth.
def _hsv_to_rgb(h, s, v):
    if s == 0:
        return (int(v * 255),) * 3
    sector = int(h * 6.0)
    f = h * 6.0 - sector
    p = v * (1.0 - s)
    q = v * (1.0 - s * f)
    t = v * (1.0 - s * (1.0 - f))
    sector %= 6
    if sector == 0:
        rgb = v, t, p
    elif sector == 1:
        rgb = q, v, p
    elif sector == 2:
        rgb = p, v, t
    elif sector == 3:
        rgb = p, q, v
    else:
        rgb = t, p, v
    return tuple(int(c * 255) for c in rgb)
