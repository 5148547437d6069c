# Wrong: both numbers are turned into floats, so large integers that are near each other come out as equal.
def cmp(a, b):
    x, y = float(a), float(b)
    return (x > y) - (x < y)
