# Wrong: the value is cut to an integer.
def dpi(px_per_meter):
    if px_per_meter == 0:
        return 96
    return int(px_per_meter * 0.0254)
