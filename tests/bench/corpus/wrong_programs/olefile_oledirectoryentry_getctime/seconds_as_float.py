# Wrong: the whole and the rest of the seconds are taken with a float divisor (1e7), which loses the last digits of a large time.
from datetime import datetime, timedelta


def ole_directory_entry_getctime(createTime):
    if not createTime:
        return None
    seconds, rest = divmod(createTime, 1e7)
    return datetime(1601, 1, 1) + timedelta(seconds=seconds, microseconds=rest // 10)
