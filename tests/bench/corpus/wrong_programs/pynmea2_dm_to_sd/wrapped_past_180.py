# Wrong: takes "signed decimal" to mean the range -180..180 and wraps greater values.
import re


def dm_to_sd(dm):
    if not dm or dm == "0":
        return 0.0
    match = re.match(r"^(\d+)(\d\d\.\d+)$", dm)
    if match is None:
        raise ValueError("not a dddmm.mmmm value: %r" % dm)
    value = float(match.group(1)) + float(match.group(2)) / 60
    if value > 180:
        value -= 360
    return value
