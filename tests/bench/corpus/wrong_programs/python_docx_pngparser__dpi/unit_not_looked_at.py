# Wrong: the unit is not looked at.
def dpi(units_specifier, px_per_unit):
    if px_per_unit:
        return int(round(px_per_unit * 0.0254))
    return 72
