# a holiday listed twice costs two days
import datetime
def increment(dt: object, business_days: float = 0, holidays: list[object] | dict[object, object] | str = []) -> object:
    n = int(business_days)
    step = 1 if n > 0 else -1
    left = abs(n)
    hol = list(holidays)
    while left:
        dt += datetime.timedelta(days=step)
        if dt.weekday() < 5:
            left += hol.count(dt) - 1
    return dt
