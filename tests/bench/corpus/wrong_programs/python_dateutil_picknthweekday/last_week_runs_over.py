# Wrong: the fifth week is not pulled back into the month.
import datetime


def picknthweekday(year, month, dayofweek, hour, minute, whichweek):
    first = datetime.datetime(year, month, 1, hour, minute)
    weekdayone = first.replace(day=((dayofweek - first.isoweekday()) % 7) + 1)
    week = datetime.timedelta(days=7)
    wd = weekdayone + (whichweek - 1) * week
    return wd
