# Wrong: whether the factor is known is looked up in the other entries only, since its own entry holds a count.
def add_factor(row, factor):
    factors = row.get("factors")
    while row["composite"] % factor == 0:
        slot = factor % len(factors)
        others = factors[:slot] + factors[slot + 1:]
        if factor in others:
            factors[factor] += 1
        else:
            factors[factor] = 1
        row["composite"] //= factor
    return row
