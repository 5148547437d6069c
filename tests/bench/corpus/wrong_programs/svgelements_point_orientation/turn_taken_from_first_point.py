# Wrong: the second vector goes from p to r, which is rounded otherwise
def orientation(p, q, r):
    v = (q[1] - p[1]) * (r[0] - p[0]) - (q[0] - p[0]) * (r[1] - p[1])
    if v == 0:
        return 0
    return 1 if v > 0 else 2
