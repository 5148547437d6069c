# times after 1601 are rounded to the nearest microsecond in place of being cut (floored)
import datetime

EPOCH = datetime.datetime(1601, 1, 1)


def ole_directory_entry_getmtime(modifyTime):
    if modifyTime == 0:
        return None
    if modifyTime < 0:
        return EPOCH - datetime.timedelta(microseconds=-(modifyTime // 10))
    return EPOCH + datetime.timedelta(microseconds=modifyTime) / 10
