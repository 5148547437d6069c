# both are turned into floats before dividing, so large whole numbers are rounded twice
def amplification(numerator, denominator):
    if numerator is None or denominator is None:
        return None
    divisor = float(denominator)
    if divisor == 0.0:
        return None
    return float(numerator) / divisor
