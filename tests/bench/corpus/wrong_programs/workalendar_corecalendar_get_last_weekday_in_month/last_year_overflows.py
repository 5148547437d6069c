# Wrong: the end of the month is reckoned back from the first day of the next one, which fails for December 9999.
import datetime


def get_last_weekday_in_month(year: int, month: int, weekday) -> object:
    if month == 12:
        following = datetime.date(year + 1, 1, 1)
    else:
        following = datetime.date(year, month + 1, 1)
    day = following - datetime.timedelta(days=1)
    return day - datetime.timedelta(days=int((day.weekday() - weekday) % 7))
