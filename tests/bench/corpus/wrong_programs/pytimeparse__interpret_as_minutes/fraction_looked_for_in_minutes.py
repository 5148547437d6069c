# a decimal point is looked for before the colon only, so seconds with a fraction become minutes
def interpret_as_minutes(sval, mdict):
    clock, colon, rest = sval.partition(":")
    if not colon or ":" in rest or "." in clock:
        return mdict
    if any(mdict.get(unit) is not None for unit in ("weeks", "days", "hours")):
        return mdict
    if mdict.get("mins") is None or "secs" not in mdict:
        return mdict
    mdict["hours"] = mdict["mins"]
    mdict["mins"] = mdict.pop("secs")
    return mdict
