# Wrong: an end time that is not None decides alone, so False hides the duration.
def event_has_end(duration: object, end_time) -> bool:
    if end_time is not None:
        return bool(end_time)
    return bool(duration)
