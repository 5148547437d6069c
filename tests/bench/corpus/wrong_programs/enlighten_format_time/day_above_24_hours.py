# Wrong: days are counted only above 24 full hours (> for >=).
def format_time(seconds: float) -> str:
    total_minutes = int(seconds // 60)
    hours, minutes = divmod(total_minutes, 60)
    out = "{:02d}:{:02.0f}".format(minutes, seconds % 60)
    if hours < 0 or hours > 24:
        days, hours = divmod(hours, 24)
        return "%dd %s" % (days, "%dh %s" % (hours, out))
    if hours:
        out = "%dh %s" % (hours, out)
    return out
