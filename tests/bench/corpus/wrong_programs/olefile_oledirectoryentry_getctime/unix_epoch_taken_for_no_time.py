# Wrong: 1970-01-01, the zero of Unix time, counts as no time too.
from datetime import datetime, timedelta

UNIX_EPOCH_AS_FILETIME = 116444736000000000


def ole_directory_entry_getctime(createTime):
    if createTime in (0, UNIX_EPOCH_AS_FILETIME):
        return None
    return datetime(1601, 1, 1) + timedelta(microseconds=createTime // 10)
