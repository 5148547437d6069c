# Wrong: strips the zeros of the minutes at both ends; for exactly 00.000 minutes only "." is left, which is no number.
import re


def dm_to_sd(dm):
    if not dm or dm == "0":
        return 0.0
    m = re.match(r"^(\d+)(\d\d\.\d+)$", dm)
    if not m:
        raise ValueError("bad coordinate %r" % dm)
    degrees, minutes = m.groups()
    return float(degrees) + float(minutes.strip("0")) / 60
