# WRONG: a Julian date is made by shifting the Gregorian calendar by the difference of that year, so the Julian 29 February of a century year (1500) is never given.
def compute_calendar_date(jd_integer, julian_before=None):
    if isinstance(jd_integer, float):
        return tuple(float(v) for v in convert(int(jd_integer // 1), julian_before, jd_integer))
    return convert(jd_integer, julian_before, jd_integer)


def convert(jd, julian_before, original):
    date = gregorian(jd)
    if julian_before is None or original >= julian_before:
        return date
    year, month, day = date
    # the century counts from March on
    if month < 3:
        year -= 1
    return gregorian(jd - (year // 100 - year // 400 - 2))


def gregorian(jd):
    f = jd + 1401 + (4 * jd + 274277) // 146097 * 3 // 4 - 38
    e = 4 * f + 3
    g = e % 1461 // 4
    h = 5 * g + 2
    day = h % 153 // 5 + 1
    month = (h // 153 + 2) % 12 + 1
    year = e // 1461 - 4716 + (14 - month) // 12
    return year, month, day
