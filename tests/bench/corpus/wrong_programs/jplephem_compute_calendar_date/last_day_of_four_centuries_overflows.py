# WRONG: the century within 400 Gregorian years is the day divided by 36524, not held at 3, so 29 February 2000 falls into a fifth century.
def compute_calendar_date(jd_integer, julian_before=None):
    if isinstance(jd_integer, float):
        return tuple(float(v) for v in convert(int(jd_integer // 1), julian_before, jd_integer))
    return convert(jd_integer, julian_before, jd_integer)


def convert(jd, julian_before, original):
    if julian_before is None or original >= julian_before:
        # days since 1 March of the year 0, Gregorian
        days = jd - 1721120
        cycles, rest = divmod(days, 146097)
        centuries = rest // 36524
        rest -= 36524 * centuries
        base = 400 * cycles + 100 * centuries
    else:
        # days since 1 March of the year 0, Julian
        rest = jd - 1721118
        base = 0
    fours, rest = divmod(rest, 1461)
    years = min(rest // 365, 3)
    g = rest - 365 * years
    h = 5 * g + 2
    day = h % 153 // 5 + 1
    month = (h // 153 + 2) % 12 + 1
    year = base + 4 * fours + years + (14 - month) // 12
    return year, month, day
