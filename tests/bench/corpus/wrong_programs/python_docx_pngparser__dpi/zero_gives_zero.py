# Wrong: a density of zero is converted instead of replaced.
def dpi(units_specifier, px_per_unit):
    if units_specifier == 1:
        return int(round(px_per_unit * 0.0254))
    return 72
