# The datetime is converted to UTC and subtracted, which overflows at the ends of the calendar.
import datetime


def datetime_utcoffset(dt):
    """Return the UTC offset for an aware datetime in seconds."""
    assert isinstance(dt, datetime.datetime)
    assert dt.tzinfo is not None and dt.utcoffset() is not None
    in_utc = dt.astimezone(datetime.timezone.utc)
    difference = dt.replace(tzinfo=None) - in_utc.replace(tzinfo=None)
    return difference.total_seconds()
