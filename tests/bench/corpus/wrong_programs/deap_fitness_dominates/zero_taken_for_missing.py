# Wrong: a zero of self is taken for a missing value and its objective is passed over.


def fitness_dominates(wvalues, other, obj=slice(None)) -> bool:
    better = False
    for a, b in zip(wvalues[obj], other["wvalues"][obj]):
        if not a:
            continue
        if a > b:
            better = True
        elif a < b:
            return False
    return better
