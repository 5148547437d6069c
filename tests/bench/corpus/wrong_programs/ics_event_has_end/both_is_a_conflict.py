# Wrong: with both an end time and a duration the answer is false.
def event_has_end(duration: object, end_time) -> bool:
    return bool(end_time) != bool(duration)
