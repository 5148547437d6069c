# Wrong: a logger is left out where a logger above it in the dotted hierarchy is held already.
def _held(loggerMap, alogger):
    if alogger in loggerMap:
        return True
    if not isinstance(alogger, str):
        return False
    parts = alogger.split(".")
    return any(".".join(parts[:end]) in loggerMap for end in range(1, len(parts)))


def placeholder_append(loggerMap, alogger):
    if not _held(loggerMap, alogger):
        loggerMap[alogger] = None
    return {"loggerMap": loggerMap}
