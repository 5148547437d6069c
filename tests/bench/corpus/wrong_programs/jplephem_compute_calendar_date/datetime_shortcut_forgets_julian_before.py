# WRONG: days in the range of datetime.date are taken from it, so julian_before has no effect in the years 1 to 9999.
import datetime


def compute_calendar_date(jd_integer, julian_before=None):
    if isinstance(jd_integer, int) and 1 <= jd_integer - 1721425 <= datetime.date.max.toordinal():
        date = datetime.date.fromordinal(jd_integer - 1721425)
        return date.year, date.month, date.day
    use_gregorian = julian_before is None or jd_integer >= julian_before
    f = jd_integer + 1401
    if use_gregorian:
        f += (4 * jd_integer + 274277) // 146097 * 3 // 4 - 38
    e = 4 * f + 3
    g = e % 1461 // 4
    h = 5 * g + 2
    day = h % 153 // 5 + 1
    month = (h // 153 + 2) % 12 + 1
    year = e // 1461 - 4716 + (14 - month) // 12
    return year, month, day
