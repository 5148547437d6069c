# a truth value as numerator is taken for no number and gives null
def amplification(numerator, denominator):
    if numerator is None or isinstance(numerator, bool):
        return None
    if denominator is None or denominator == 0:
        return None
    return numerator / denominator + 0.0
