# weeks are not looked at: a text with weeks is changed too
def interpret_as_minutes(sval, mdict):
    if sval.count(":") != 1 or "." in sval:
        return mdict
    if mdict.get("hours") is not None or mdict.get("days") is not None:
        return mdict
    if mdict.get("mins") is None or "secs" not in mdict:
        return mdict
    mdict["hours"] = mdict["mins"]
    mdict["mins"] = mdict.pop("secs")
    return mdict
