# wrong: with a tolerance of 1e-9 a tiny but positive denominator counts as none
def eta_undefined(denominator):
    if denominator is None:
        return True
    return denominator < 1e-9
