# a number with blanks around it is taken for no number
import math


def number(value):
    if not value or value != value.strip():
        return math.nan
    try:
        return float(value)
    except ValueError:
        return math.nan
