# Wrong: the sign is taken from the whole seconds, so a difference above -1 second has none.
from datetime import timedelta


def timedelta_to_duration(dt: object) -> str:
    size = abs(dt) // timedelta(seconds=1)
    total = -size if dt < timedelta(0) else size
    negative = total < 0
    total = abs(total)
    weeks, rest = divmod(total, 604800)
    days, rest = divmod(rest, 86400)
    hours, rest = divmod(rest, 3600)
    minutes, seconds = divmod(rest, 60)
    text = "P"
    if weeks:
        text += "%dW" % weeks
    if days:
        text += "%dD" % days
    if hours or minutes or seconds:
        text += "T"
    if hours:
        text += "%dH" % hours
    if minutes:
        text += "%dM" % minutes
    if seconds:
        text += "%dS" % seconds
    return "-" + text if negative else text
