# Wrong: only the value True counts as an end time, other true values do not.
def event_has_end(duration: object, end_time) -> bool:
    return end_time is True or bool(duration)
