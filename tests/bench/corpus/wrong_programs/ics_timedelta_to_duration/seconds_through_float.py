# Wrong: the whole seconds come from total_seconds(), a float, which rounds up for very long differences.
from datetime import timedelta


def timedelta_to_duration(dt: object) -> str:
    total = int(abs(dt.total_seconds()))
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
    return "-%s" % text if dt < timedelta(0) else text
