# WRONG: the whole part is rounded, so signs come out doubled
def float_to_rational(flt):
    whole = round(flt)
    error = flt - whole
    if abs(error) < 0.0001:
        return whole, 1
    den, num = float_to_rational(1.0 / error)
    return whole * den + num, den
