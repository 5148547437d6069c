# Wrong: only a duration above zero counts.
from datetime import timedelta


def event_has_end(duration: object, end_time) -> bool:
    if end_time:
        return True
    return duration is not None and duration > timedelta(0)
