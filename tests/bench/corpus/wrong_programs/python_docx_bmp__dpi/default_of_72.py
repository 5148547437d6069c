# Wrong: zero gives 72.
def dpi(px_per_meter):
    if px_per_meter == 0:
        return 72
    return int(round(px_per_meter * 0.0254))
