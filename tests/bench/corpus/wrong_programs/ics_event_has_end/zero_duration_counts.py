# Wrong: a duration of zero counts as an end, only None does not.
def event_has_end(duration: object, end_time) -> bool:
    return bool(end_time) or duration is not None
