# wrong: the binomial coefficient is left out; for n = 0 and 1 it is 1 and is not missed


def bernstein(n, t):
    s = 1 - t
    return [s ** (n - k) * t ** k for k in range(n + 1)]
