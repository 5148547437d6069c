# the denominator is compared with zero with a tolerance
EPSILON = 1e-12


def amplification(numerator, denominator):
    if numerator is None or denominator is None:
        return None
    if abs(denominator) < EPSILON:
        return None
    return float(numerator / denominator)
