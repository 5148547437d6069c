# Wrong: the microseconds of the timedelta are left out.
import datetime


def timedelta_to_seconds(td: object) -> float:
    if isinstance(td, datetime.timedelta):
        return float(td.days * 86400 + td.seconds)
    return float(td)
