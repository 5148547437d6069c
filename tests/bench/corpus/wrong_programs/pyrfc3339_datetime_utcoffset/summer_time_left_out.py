# The standard offset of the zone is given: the hour of daylight saving time is taken away.
import datetime


def datetime_utcoffset(dt):
    """Return the UTC offset for an aware datetime in seconds."""
    assert isinstance(dt, datetime.datetime)
    offset = dt.utcoffset()
    assert offset is not None
    saving = dt.dst() or datetime.timedelta(0)
    return (offset - saving).total_seconds()
