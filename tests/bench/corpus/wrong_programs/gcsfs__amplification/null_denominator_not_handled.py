# only a null numerator is looked at, a null denominator raises
def amplification(numerator, denominator):
    if numerator is None or denominator == 0:
        return None
    return float(numerator / denominator)
