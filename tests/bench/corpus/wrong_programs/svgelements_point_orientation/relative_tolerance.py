# Wrong: the two products are compared with a relative tolerance
import math

def orientation(p, q, r):
    a = (q[1] - p[1]) * (r[0] - q[0])
    b = (q[0] - p[0]) * (r[1] - q[1])
    if math.isclose(a, b):
        return 0
    return 1 if a > b else 2
