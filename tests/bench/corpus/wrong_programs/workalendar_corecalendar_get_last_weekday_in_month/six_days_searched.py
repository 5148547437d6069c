# Wrong: only the last six days of the month are searched, so the day six days before the end is never found.
import calendar
import datetime


def get_last_weekday_in_month(year: int, month: int, weekday) -> object:
    end = calendar.monthrange(year, month)[1]
    for day in range(end, end - 6, -1):
        found = datetime.date(year, month, day)
        if found.weekday() == weekday:
            return found
    raise ValueError(f"no weekday {weekday!r} in {year}-{month}")
