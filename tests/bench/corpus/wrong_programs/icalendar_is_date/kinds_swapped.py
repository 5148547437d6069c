# WRONG: true for datetimes instead of dates
from datetime import date, datetime


def is_date(dt):
    return isinstance(dt, datetime)
