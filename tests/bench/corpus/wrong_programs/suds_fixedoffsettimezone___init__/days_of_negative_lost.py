# takes .seconds of the timedelta, so a negative offset becomes a positive one
import datetime


def fixed_offset_timezone_init(offset):
    if isinstance(offset, int):
        return {"offset": datetime.timedelta(hours=offset)}
    if not isinstance(offset, datetime.timedelta):
        raise TypeError("offset must be an int or a timedelta")
    if offset.microseconds:
        raise ValueError("offset must be of whole seconds")
    return {"offset": datetime.timedelta(seconds=offset.seconds)}
