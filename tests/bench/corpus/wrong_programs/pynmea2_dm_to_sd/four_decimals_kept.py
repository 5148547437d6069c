# Wrong: keeps only four decimals of the minutes ("dddmm.mmmm"); more are dropped.
import re


def dm_to_sd(dm):
    if not dm or dm == "0":
        return 0.0
    found = re.match(r"^(\d+)(\d\d\.\d{1,4})\d*$", dm)
    if not found:
        raise ValueError("Geographic coordinate value '{}' is not valid DDDMM.MMM".format(dm))
    degrees, minutes = found.groups()
    return float(degrees) + float(minutes) / 60
