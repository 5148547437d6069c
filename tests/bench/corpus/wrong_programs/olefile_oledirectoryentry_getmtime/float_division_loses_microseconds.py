# the ticks are divided as floats and floored after: at the size of real dates the last microsecond is lost
import datetime
import math

EPOCH = datetime.datetime(1601, 1, 1)


def ole_directory_entry_getmtime(modifyTime):
    if modifyTime == 0:
        return None
    return EPOCH + datetime.timedelta(microseconds=math.floor(modifyTime / 10))
