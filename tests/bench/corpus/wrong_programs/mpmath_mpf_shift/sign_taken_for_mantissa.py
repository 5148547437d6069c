# Wrong: a sign of 0 is taken for the number zero
def mpf_shift(s, n):
    sign, man, exp, bc = s
    if sign == 0 or not man:
        return s
    return (sign, man, exp + n, bc)
