# Wrong: a month is taken to fill at least five rows of the calendar, so a February from Monday to Sunday (four rows) fails.
import calendar
import datetime


def get_last_weekday_in_month(year: int, month: int, weekday) -> object:
    weeks = calendar.Calendar(firstweekday=0).monthdayscalendar(year, month)
    index = int(weekday)
    if len(weeks) > 5 and weeks[5][index]:
        day = weeks[5][index]
    else:
        day = weeks[4][index] or weeks[3][index]
    return datetime.date(year, month, day)
