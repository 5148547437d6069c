# Wrong: the hour begins only after 3600 seconds (> for >=), at exactly 3600 it is 60:00.
def format_time(seconds: float) -> str:
    minutes = int(seconds // 60)
    secs = seconds - minutes * 60
    if 0 <= seconds <= 3600:
        return "%02d:%02.0f" % (minutes, secs)
    hours, minutes = divmod(minutes, 60)
    days, hours = divmod(hours, 24)
    out = "%dh %02d:%02.0f" % (hours, minutes, secs)
    if days:
        out = "%dd %s" % (days, out)
    return out
