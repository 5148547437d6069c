# quotients of one or more are rounded to three decimals for display
def amplification(numerator, denominator):
    if numerator is None or denominator is None or denominator == 0:
        return None
    ratio = numerator / denominator
    if abs(ratio) >= 1:
        return round(ratio, 3)
    return ratio
