# Wrong: an entry whose value is 0, an empty text or an empty list counts as absent and is reset.
def placeholder_append(loggerMap, alogger):
    if not loggerMap.get(alogger):
        loggerMap[alogger] = None
    return {"loggerMap": loggerMap}
