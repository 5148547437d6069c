# wrong: the row of degree d is built in place from the left, so entries already changed are read as if of degree d - 1


def bernstein(n, t):
    if n < 0:
        return []
    s = 1 - t
    row = [t ** 0]
    for d in range(1, n + 1):
        row.append(t * 0)
        for k in range(1, d + 1):
            row[k] = row[k] * s + row[k - 1] * t
        row[0] *= s
    return row
