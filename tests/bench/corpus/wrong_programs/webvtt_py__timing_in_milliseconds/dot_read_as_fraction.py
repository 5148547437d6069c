# Wrong: after a dot the digits are read as a fraction of a second (as in SBV files), not as a number of milliseconds.
import re


def timing_in_milliseconds(value):
    m = re.fullmatch(r"\s*(\d+):(\d+):(\d+)\.(\d+)\s*", value)
    if m:
        hours, minutes, seconds = map(int, m.groups()[:3])
        millis = int(m.group(4)[:3].ljust(3, "0"))
        return ((hours * 60 + minutes) * 60 + seconds) * 1000 + millis

    fields = re.split("[:,.]", value)
    for field in fields:
        if len(field.strip().lstrip("0")) > 17:
            raise ValueError(
                "Time after the largest timestamp 9999999999:59:59.999"
            )
    hours, minutes, seconds, millis = map(int, fields)
    return ((hours * 60 + minutes) * 60 + seconds) * 1000 + millis
