# Wrong: the days of the timedelta are left out (only its seconds and microseconds count).
import datetime


def timedelta_to_seconds(td: object) -> float:
    if isinstance(td, datetime.timedelta):
        return td.seconds + td.microseconds / 10**6
    return float(td)
