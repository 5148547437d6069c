# WRONG: anything that is no datetime counts
from datetime import date, datetime


def is_date(dt):
    return not isinstance(dt, datetime)
