# wrong: only nothing and zero count as no denominator; a negative one is left out
def eta_undefined(denominator):
    return denominator is None or denominator == 0
