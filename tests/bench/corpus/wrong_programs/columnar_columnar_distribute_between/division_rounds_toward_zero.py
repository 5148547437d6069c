# Wrong: the new width is cut off toward zero, not rounded down, so negative widths come out one too high.
import math


def columnar_distribute_between(diff, columns, n):
    columns = [dict(column) for column in columns]
    if n <= 0:
        return columns
    left = sum(column["width"] for column in columns[:n]) - diff
    if isinstance(left, float):
        width = float(math.trunc(left / n))
    else:
        width = abs(left) // n
        if left < 0:
            width = -width
    for column in columns[:n]:
        column["width"] = width
    return columns
