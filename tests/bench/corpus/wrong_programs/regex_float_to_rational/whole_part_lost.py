# WRONG: the whole part is not added back
def float_to_rational(flt):
    whole = int(flt)
    error = flt - whole
    if abs(error) < 0.0001:
        return whole, 1
    den, num = float_to_rational(1.0 / error)
    return num, den
