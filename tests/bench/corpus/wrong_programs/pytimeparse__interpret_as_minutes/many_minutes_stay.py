# a first part above 23 is left as minutes, as a day has no such hour
def interpret_as_minutes(sval, mdict):
    if sval.count(":") != 1 or "." in sval:
        return mdict
    if any(mdict.get(unit) is not None for unit in ("weeks", "days", "hours")):
        return mdict
    if mdict.get("mins") is None or "secs" not in mdict:
        return mdict
    if mdict["mins"].isdecimal() and int(mdict["mins"]) > 23:
        return mdict
    mdict["hours"] = mdict["mins"]
    mdict["mins"] = mdict.pop("secs")
    return mdict
