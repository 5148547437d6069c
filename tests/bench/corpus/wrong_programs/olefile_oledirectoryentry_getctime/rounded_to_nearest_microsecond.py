# Wrong: the time is rounded to the nearest microsecond, not down.
from datetime import datetime, timedelta


def ole_directory_entry_getctime(createTime):
    if createTime == 0:
        return None
    micros = int(round(createTime, -1)) // 10
    return datetime(1601, 1, 1, 0, 0, 0) + timedelta(microseconds=micros)
