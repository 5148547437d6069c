# Wrong: once the entry was set to 1 in this call it is counted up from there, although the factor is still not among the entries.
def add_factor(row, factor):
    factors = row.get("factors")
    started = False
    while row["composite"] % factor == 0:
        if started or factor in factors:
            factors[factor] += 1
        else:
            factors[factor] = 1
            started = True
        row["composite"] //= factor
    return row
