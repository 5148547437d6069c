# weeks, days or hours of 0 are taken as not given
def interpret_as_minutes(sval, mdict):
    def given(unit):
        return mdict.get(unit) not in (None, "0", "00")

    if sval.count(":") != 1 or "." in sval:
        return mdict
    if any(given(unit) for unit in ("weeks", "days", "hours")):
        return mdict
    if mdict.get("mins") is None or "secs" not in mdict:
        return mdict
    mdict["hours"] = mdict["mins"]
    mdict["mins"] = mdict.pop("secs")
    return mdict
