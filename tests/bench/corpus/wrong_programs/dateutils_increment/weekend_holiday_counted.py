# a holiday that falls on a weekend costs a further day
import datetime
def increment(dt: object, business_days: float = 0, holidays: list[object] | dict[object, object] | str = []) -> object:
    n = int(business_days)
    step = 1 if n > 0 else -1
    left = abs(n)
    hol = list(holidays)
    while left:
        dt += datetime.timedelta(days=step)
        if dt in hol:
            left += dt.weekday() >= 5
        elif dt.weekday() < 5:
            left -= 1
    return dt
