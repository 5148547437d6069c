# Wrong: a minus before the hours makes the whole timestamp negative; it belongs to the hours only.
import re


def timing_in_milliseconds(value):
    sign = 1
    value = value.strip()
    if value.startswith("-"):
        sign, value = -1, value[1:]
    fields = re.split("[:,.]", value)
    for field in fields:
        if len(field.strip().lstrip("0")) > 17:
            raise ValueError(
                "Time after the largest timestamp 9999999999:59:59.999"
            )
    hours, minutes, seconds, millis = map(int, fields)
    return sign * (((hours * 60 + minutes) * 60 + seconds) * 1000 + millis)
