# wrong: tests the type int first, so 0.0 and negative fractions count as a denominator
def eta_undefined(denominator):
    if denominator is None:
        return True
    return isinstance(denominator, int) and denominator <= 0
