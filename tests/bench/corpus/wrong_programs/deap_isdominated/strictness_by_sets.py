# Whether anything differs is judged by the sets of the compared values, so sides with the same values at other places count as equal.
def isDominated(wvalues1: str, wvalues2: str) -> bool:
    count = min(len(wvalues1), len(wvalues2))
    first, second = wvalues1[:count], wvalues2[:count]
    return all(a <= b for a, b in zip(first, second)) and set(first) != set(second)
