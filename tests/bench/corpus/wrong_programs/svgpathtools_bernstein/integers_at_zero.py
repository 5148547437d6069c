# wrong: a short way for t = 0 gives integers also when t has a decimal point (0.0)
from math import comb


def bernstein(n, t):
    if n < 0:
        return []
    if t == 0:
        return [1] + [0] * n
    return [comb(n, k) * (1 - t) ** (n - k) * t ** k for k in range(n + 1)]
