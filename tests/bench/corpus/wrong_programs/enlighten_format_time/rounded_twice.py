# Wrong: seconds are rounded to one decimal first and then to whole ones.
def format_time(seconds: float) -> str:
    seconds = round(seconds, 1)
    minutes = int(seconds // 60)
    hours = minutes // 60
    text = "%02d:%02.0f" % (minutes % 60, seconds % 60)
    if hours:
        text = "%dh %s" % (hours % 24, text)
        days = hours // 24
        if days:
            text = "%dd %s" % (days, text)
    return text
