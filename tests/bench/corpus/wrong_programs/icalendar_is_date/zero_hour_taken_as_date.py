# WRONG: a datetime in the first hour counts as date
from datetime import date, datetime


def is_date(dt):
    return isinstance(dt, date) and not getattr(dt, "hour", 0)
