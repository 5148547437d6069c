# Wrong: keys are compared as texts, so the integer 5 counts as present where the text "5" is.
def placeholder_append(loggerMap, alogger):
    known = {str(key) for key in loggerMap}
    if str(alogger) not in known:
        loggerMap[alogger] = None
    return {"loggerMap": loggerMap}
