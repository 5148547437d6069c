# Wrong: the count of weeks starts at zero.
import datetime


def picknthweekday(year, month, dayofweek, hour, minute, whichweek):
    first = datetime.datetime(year, month, 1, hour, minute)
    weekdayone = first.replace(day=((dayofweek - first.isoweekday()) % 7) + 1)
    week = datetime.timedelta(days=7)
    wd = weekdayone + whichweek * week
    if wd.month != month:
        wd -= week
    return wd
