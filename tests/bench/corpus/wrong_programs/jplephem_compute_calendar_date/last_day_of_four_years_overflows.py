# WRONG: the year within four years is the day divided by 365, not held at 3, so 29 February falls into a fifth year.
def compute_calendar_date(jd_integer, julian_before=None):
    if isinstance(jd_integer, float):
        return tuple(float(v) for v in convert(int(jd_integer // 1), julian_before, jd_integer))
    return convert(jd_integer, julian_before, jd_integer)


def convert(jd, julian_before, original):
    f = jd + 1401
    if julian_before is None or original >= julian_before:
        f += (4 * jd + 274277) // 146097 * 3 // 4 - 38
    cycles, rest = divmod(f, 1461)
    years = rest // 365
    g = rest - 365 * years
    h = 5 * g + 2
    day = h % 153 // 5 + 1
    month = (h // 153 + 2) % 12 + 1
    year = 4 * cycles + years - 4716 + (14 - month) // 12
    return year, month, day
