# a comma is taken as a decimal point
import math


def number(value):
    try:
        return float(value.replace(",", "."))
    except ValueError:
        return math.nan
