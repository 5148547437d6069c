# Wrong: an objective that only self has counts as strictly better, though it has no corresponding one in other.


def fitness_dominates(wvalues, other, obj=slice(None)) -> bool:
    mine = wvalues[obj]
    theirs = other["wvalues"][obj]
    better = len(mine) > len(theirs)
    for a, b in zip(mine, theirs):
        if a > b:
            better = True
        elif a < b:
            return False
    return better
