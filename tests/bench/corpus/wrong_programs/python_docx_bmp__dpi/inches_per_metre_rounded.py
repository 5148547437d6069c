# Wrong: 39 inches per metre are used.
def dpi(px_per_meter):
    if px_per_meter == 0:
        return 96
    return int(round(px_per_meter / 39))
