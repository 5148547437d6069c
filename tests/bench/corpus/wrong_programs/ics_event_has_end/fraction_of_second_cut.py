# Wrong: the duration is looked at in whole seconds, so half a second counts as none.
def event_has_end(duration: object, end_time) -> bool:
    if end_time:
        return True
    return bool(duration) and int(duration.total_seconds()) != 0
