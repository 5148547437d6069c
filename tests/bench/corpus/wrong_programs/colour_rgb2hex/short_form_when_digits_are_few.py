# Wrong: shortens when the text is one pair of digits repeated or pairs; looks at neighbouring digits only inside the first two and the last
def rgb2hex(rgb, force_long=False):
    hx = "".join(["%02x" % int(c * 255 + 0.5 - 0.0000005) for c in rgb])
    if not force_long and hx[0] == hx[1] and hx[4] == hx[5]:
        hx = hx[0::2]
    return "#%s" % hx
