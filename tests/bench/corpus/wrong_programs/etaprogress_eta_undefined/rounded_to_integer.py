# wrong: the denominator is rounded to an integer before the test, so what lies below one half counts as zero
def eta_undefined(denominator):
    if denominator is None:
        return True
    return int(denominator + 0.5) <= 0
