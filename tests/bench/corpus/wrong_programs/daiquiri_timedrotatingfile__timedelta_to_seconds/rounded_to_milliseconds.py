# Wrong: the result is rounded to whole milliseconds, though a timedelta goes down to microseconds.
import datetime


def timedelta_to_seconds(td: object) -> float:
    if isinstance(td, datetime.timedelta):
        return round(td.total_seconds(), 3)
    return round(float(td), 3)
