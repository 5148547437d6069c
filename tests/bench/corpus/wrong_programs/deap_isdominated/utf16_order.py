# Values are compared by their UTF-16 code units, so a character beyond 16 bits counts as smaller than one at the end of the 16-bit range.
def isDominated(wvalues1: str, wvalues2: str) -> bool:
    better = False
    for a, b in zip(wvalues1, wvalues2):
        left = a.encode("utf-16-be", "surrogatepass")
        right = b.encode("utf-16-be", "surrogatepass")
        if left > right:
            return False
        if left < right:
            better = True
    return better
