# Wrong: 0 is taken as metre and 1 as unknown.
def dpi(units_specifier, px_per_unit):
    if units_specifier == 0 and px_per_unit:
        return int(round(px_per_unit * 0.0254))
    return 72
