# Wrong: of a dotted logger name only the last part is stored as the child.
def placeholder_append(loggerMap, alogger):
    child = alogger.rpartition(".")[2] if isinstance(alogger, str) else alogger
    if child not in loggerMap:
        loggerMap[child] = None
    return {"loggerMap": loggerMap}
