# Wrong: a negative difference of whole days is taken apart as one day less and 24 hours.
from datetime import timedelta


def timedelta_to_duration(dt: object) -> str:
    negative = dt < timedelta(0)
    days, secs = dt.days, dt.seconds
    if negative:
        days = -days - 1
        secs = 86400 - secs - (1 if dt.microseconds else 0)
    weeks, days = divmod(days, 7)
    parts = ["P"]
    if weeks:
        parts.append("%dW" % weeks)
    if days:
        parts.append("%dD" % days)
    if secs:
        parts.append("T")
        for unit, letter in ((3600, "H"), (60, "M"), (1, "S")):
            count, secs = divmod(secs, unit)
            if count:
                parts.append("%d%s" % (count, letter))
    text = "".join(parts)
    return "-%s" % text if negative else text
