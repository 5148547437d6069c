# Wrong: each year that 100 divides has a February of 28 days, so the rule of 400 is forgotten (2000 has 29).
import datetime

_DAYS = (31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)


def get_last_weekday_in_month(year: int, month: int, weekday) -> object:
    days = _DAYS[month - 1]
    if month == 2 and year % 4 == 0 and year % 100 != 0:
        days = 29
    end = datetime.date(year, month, days)
    return end - datetime.timedelta(days=int((end.weekday() - weekday) % 7))
