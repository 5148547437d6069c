# the calendar is worked out by hand with a leap year every four years, so 1700, 1800 and 1900 count as leap years
import datetime

MONTHS = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]


def ole_directory_entry_getmtime(modifyTime):
    if modifyTime == 0:
        return None
    seconds, microseconds = divmod(int(modifyTime // 10), 10**6)
    days, seconds = divmod(seconds, 86400)
    cycles, days = divmod(days, 4 * 365 + 1)
    years = min(days // 365, 3)
    days -= years * 365
    year = 1601 + 4 * cycles + years
    month = 0
    while True:
        length = MONTHS[month] + (month == 1 and year % 4 == 0)
        if days < length:
            break
        days -= length
        month += 1
    return datetime.datetime(
        year,
        month + 1,
        days + 1,
        seconds // 3600,
        seconds // 60 % 60,
        seconds % 60,
        microseconds,
    )
