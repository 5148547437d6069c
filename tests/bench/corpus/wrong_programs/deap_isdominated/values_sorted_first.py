# The values of both sides are sorted before they are compared, so an objective is no longer compared with the same objective.
def isDominated(wvalues1: str, wvalues2: str) -> bool:
    better = False
    for a, b in zip(sorted(wvalues1), sorted(wvalues2)):
        if a > b:
            return False
        if a < b:
            better = True
    return better
