# Wrong: divides in floating point, so composites above 2**53 lose their last digits.
def add_factor(row, factor):
    factors = row.get("factors")
    while row["composite"] % factor == 0:
        if factor not in factors:
            factors[factor] = 1
        else:
            factors[factor] += 1
        row["composite"] = int(row["composite"] / factor)
    return row
