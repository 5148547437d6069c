# a time of -1 (all bits set) is taken for null as well as 0
import datetime

EPOCH = datetime.datetime(1601, 1, 1)


def ole_directory_entry_getmtime(modifyTime):
    if modifyTime in (0, -1):
        return None
    return EPOCH + datetime.timedelta(microseconds=modifyTime // 10)
