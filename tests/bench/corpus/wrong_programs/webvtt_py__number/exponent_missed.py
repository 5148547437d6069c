# a number with an exponent is taken for no number
import math
import re


def number(value):
    if re.fullmatch(r"\s*[+-]?(?:\d+\.?\d*|\.\d+)\s*", value):
        return float(value)
    return math.nan
