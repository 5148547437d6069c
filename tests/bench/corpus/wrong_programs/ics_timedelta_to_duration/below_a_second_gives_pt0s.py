# Wrong: a difference that is not zero but below a second gives PT0S, not P.
from datetime import timedelta


def timedelta_to_duration(dt: object) -> str:
    if not dt:
        return "P"
    total = abs(dt) // timedelta(seconds=1)
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
    if text == "P":
        text = "PT0S"
    return "-%s" % text if dt < timedelta(0) else text
