# Wrong: a number near zero counts as zero
def orientation(p, q, r):
    v = (q[1] - p[1]) * (r[0] - q[0]) - (q[0] - p[0]) * (r[1] - q[1])
    if abs(v) < 1e-9:
        return 0
    return 1 if v > 0 else 2
