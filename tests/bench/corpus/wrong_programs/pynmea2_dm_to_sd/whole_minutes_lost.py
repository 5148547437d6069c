# Wrong: when the decimals of the minutes are all zero it takes the minutes as none and gives the degrees only.
import re


def dm_to_sd(dm):
    if not dm or dm == "0":
        return 0.0
    m = re.match(r"^(\d+)(\d\d)\.(\d+)$", dm)
    if not m:
        raise ValueError("bad coordinate %r" % dm)
    degrees, whole, part = m.groups()
    if int(part) == 0:
        return float(degrees)
    return float(degrees) + float(whole + "." + part) / 60
