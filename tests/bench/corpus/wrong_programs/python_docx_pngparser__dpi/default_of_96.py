# Wrong: the default is 96.
def dpi(units_specifier, px_per_unit):
    if units_specifier == 1 and px_per_unit:
        return int(round(px_per_unit * 0.0254))
    return 96
