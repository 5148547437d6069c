# Wrong: numbers are compared as floats, so whole numbers beyond 2**53 that differ can come out equal.


def _value(x):
    if isinstance(x, int):
        return float(x)
    return x


def fitness_dominates(wvalues, other, obj=slice(None)) -> bool:
    better = False
    for a, b in zip(wvalues[obj], other["wvalues"][obj]):
        a, b = _value(a), _value(b)
        if a > b:
            better = True
        elif a < b:
            return False
    return better
