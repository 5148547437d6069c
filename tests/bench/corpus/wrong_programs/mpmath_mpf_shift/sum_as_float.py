# Wrong: the exponents are added as floats
def mpf_shift(s, n):
    sign, man, exp, bc = s
    if not man:
        return s
    total = float(exp) + float(n)
    if total == int(total):
        total = int(total)
    return (sign, man, total, bc)
