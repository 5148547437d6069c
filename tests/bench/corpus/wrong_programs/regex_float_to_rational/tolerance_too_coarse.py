# WRONG: errors below 0.01 are taken for zero
def float_to_rational(flt):
    whole = int(flt)
    error = flt - whole
    if abs(error) < 0.01:
        return whole, 1
    den, num = float_to_rational(1.0 / error)
    return whole * den + num, den
