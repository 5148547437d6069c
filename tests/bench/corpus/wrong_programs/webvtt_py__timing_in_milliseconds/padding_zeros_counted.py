# Wrong: the range of a field is checked with its leading zeros, so a long zero padded one is refused.
import re


def timing_in_milliseconds(value):
    fields = re.split("[:,.]", value)
    for field in fields:
        if len(field.strip()) > 17:
            raise ValueError(
                "Time after the largest timestamp 9999999999:59:59.999"
            )
    hours, minutes, seconds, millis = map(int, fields)
    return ((hours * 60 + minutes) * 60 + seconds) * 1000 + millis
