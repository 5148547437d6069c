# WRONG: a datetime is a date by inheritance
from datetime import date, datetime


def is_date(dt):
    return isinstance(dt, date)
