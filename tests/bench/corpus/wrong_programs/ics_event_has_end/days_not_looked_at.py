# Wrong: only the seconds field of the duration is looked at, whole days count as zero.
def event_has_end(duration: object, end_time) -> bool:
    if end_time:
        return True
    if duration is None:
        return False
    return duration.seconds > 0 or duration.microseconds > 0
