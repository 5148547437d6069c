# Wrong: shortens when red and green are doubled digits, forgetting blue
def rgb2hex(rgb, force_long=False):
    hx = "".join(["%02x" % int(c * 255 + 0.5 - 0.0000005) for c in rgb])
    if not force_long and hx[0:4:2] == hx[1:4:2]:
        hx = hx[0::2]
    return "#%s" % hx
