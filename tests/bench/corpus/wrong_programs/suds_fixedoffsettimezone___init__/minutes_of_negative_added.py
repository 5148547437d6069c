# the minutes of a negative offset are added to its hours with the wrong sign
import datetime


def fixed_offset_timezone_init(offset):
    if isinstance(offset, int):
        return {"offset": datetime.timedelta(hours=offset)}
    if not isinstance(offset, datetime.timedelta):
        raise TypeError("offset must be an int or a timedelta")
    if offset.microseconds:
        raise ValueError("offset must be of whole seconds")
    seconds = int(offset.total_seconds())
    hours = int(seconds / 3600)
    minutes = abs(seconds) % 3600 // 60
    return {"offset": datetime.timedelta(hours=hours, minutes=minutes)}
