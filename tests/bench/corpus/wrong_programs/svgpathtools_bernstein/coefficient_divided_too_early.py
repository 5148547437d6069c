# wrong: each next coefficient is divided (with rounding down) before it is multiplied: 3 // 2 * 2 for n = 3


def bernstein(n, t):
    result = []
    c = 1
    for k in range(n + 1):
        result.append(c * (1 - t) ** (n - k) * t ** k)
        c = c // (k + 1) * (n - k)
    return result
