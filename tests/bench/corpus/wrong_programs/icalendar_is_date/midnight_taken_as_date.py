# WRONG: a datetime at midnight counts as date
from datetime import date, datetime


def is_date(dt):
    return isinstance(dt, date) and (not isinstance(dt, datetime) or dt == datetime(dt.year, dt.month, dt.day))
