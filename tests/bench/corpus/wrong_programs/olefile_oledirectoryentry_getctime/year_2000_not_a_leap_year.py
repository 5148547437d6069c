# Wrong: the calendar worked out by hand has no 29 February in 2000 (century years that 400 divides).
from datetime import datetime, timedelta

MONTHS = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
DAYS_IN_400_YEARS = 146097


def _is_leap(year):
    return year % 4 == 0 and year % 100 != 0


def ole_directory_entry_getctime(createTime):
    if createTime == 0:
        return None
    days, micros = divmod(int(createTime // 10), 86400 * 10**6)
    cycles = max(days, 0) // DAYS_IN_400_YEARS
    days -= cycles * DAYS_IN_400_YEARS
    year = 1601 + 400 * cycles
    while days >= 365 + _is_leap(year):
        days -= 365 + _is_leap(year)
        year += 1
    month = 1
    while True:
        length = MONTHS[month - 1] + (month == 2 and _is_leap(year))
        if days < length:
            break
        days -= length
        month += 1
    return datetime(year, month, 1) + timedelta(days=days, microseconds=micros)
