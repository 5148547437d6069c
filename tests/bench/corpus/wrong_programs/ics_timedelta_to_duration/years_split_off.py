# Wrong: more than 365 days are written with years.
from datetime import timedelta


def timedelta_to_duration(dt: object) -> str:
    total = abs(dt) // timedelta(seconds=1)
    years = 0
    if total > 365 * 86400:
        years, total = divmod(total, 365 * 86400)
    weeks, rest = divmod(total, 604800)
    days, rest = divmod(rest, 86400)
    hours, rest = divmod(rest, 3600)
    minutes, seconds = divmod(rest, 60)
    text = "P"
    if years:
        text += "%dY" % years
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
