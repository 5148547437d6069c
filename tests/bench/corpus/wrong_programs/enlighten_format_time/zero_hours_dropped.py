# Wrong: hours of 0 are left out even where days are shown.
def format_time(seconds: float) -> str:
    minutes = int(seconds // 60)
    days, hours = divmod(minutes // 60, 24)
    text = "%02d:%02.0f" % (minutes % 60, seconds % 60)
    if hours:
        text = "%dh %s" % (hours, text)
    if days:
        text = "%dd %s" % (days, text)
    return text
