# WRONG: the sign goes to the numerator
def float_to_rational(flt):
    whole = int(flt)
    error = flt - whole
    if abs(error) < 0.0001:
        return whole, 1
    den, num = float_to_rational(1.0 / error)
    num = whole * den + num
    return (-num, -den) if den < 0 else (num, den)
