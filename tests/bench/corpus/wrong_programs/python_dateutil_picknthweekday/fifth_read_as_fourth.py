# Wrong: 5 is always taken as 4.
import datetime


def picknthweekday(year, month, dayofweek, hour, minute, whichweek):
    whichweek = min(whichweek, 4)
    first = datetime.datetime(year, month, 1, hour, minute)
    weekdayone = first.replace(day=((dayofweek - first.isoweekday()) % 7) + 1)
    week = datetime.timedelta(days=7)
    wd = weekdayone + (whichweek - 1) * week
    if wd.month != month:
        wd -= week
    return wd
