# Wrong: for a negative timedelta the sign is put on all parts, though only its days are negative and the seconds are added to them.
import datetime


def timedelta_to_seconds(td: object) -> float:
    if not isinstance(td, datetime.timedelta):
        return float(td)
    sign = -1 if td.days < 0 else 1
    micros = (abs(td.days) * 86400 + td.seconds) * 10**6 + td.microseconds
    return sign * micros / 10**6
