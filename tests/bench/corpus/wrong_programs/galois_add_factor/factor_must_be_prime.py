# Wrong: checks that the factor is a prime (up to its sign) and leaves the row alone otherwise; the factor is taken as it is given.
def _is_prime(n):
    n = abs(n)
    if n < 2:
        return False
    k = 2
    while k * k <= n:
        if n % k == 0:
            return False
        k += 1
    return True


def add_factor(row, factor):
    if not _is_prime(factor):
        return row
    factors = row.get("factors")
    while row["composite"] % factor == 0:
        if factor in factors:
            factors[factor] += 1
        else:
            factors[factor] = 1
        row["composite"] //= factor
    return row
