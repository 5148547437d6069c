# an infinite value is taken for no number
import math


def number(value):
    try:
        result = float(value)
    except ValueError:
        return math.nan
    return result if math.isfinite(result) else math.nan
