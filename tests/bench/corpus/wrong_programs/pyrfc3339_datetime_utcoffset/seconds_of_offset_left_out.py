# The offset is read from its hours and minutes only, so the seconds of the offset are lost.
import datetime


def datetime_utcoffset(dt):
    """Return the UTC offset for an aware datetime in seconds."""
    assert isinstance(dt, datetime.datetime)
    assert dt.tzinfo is not None and dt.utcoffset() is not None
    text = dt.strftime("%z")
    sign = -1 if text[0] == "-" else 1
    hours, minutes = int(text[1:3]), int(text[3:5])
    return float(sign * (hours * 3600 + minutes * 60))
