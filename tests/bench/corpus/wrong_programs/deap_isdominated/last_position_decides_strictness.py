# The flag for a strictly better value is overwritten at each position, so an equal last pair undoes an earlier better one.
def isDominated(wvalues1: str, wvalues2: str) -> bool:
    better = False
    for a, b in zip(wvalues1, wvalues2):
        if a > b:
            return False
        better = a < b
    return better
