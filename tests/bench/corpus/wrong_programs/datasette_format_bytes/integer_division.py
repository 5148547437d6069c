# WRONG: the fraction is cut at each step
def format_bytes(bytes):
    current = float(bytes)
    for unit in ("bytes", "KB", "MB", "GB", "TB"):
        if current < 1024:
            break
        current //= 1024
    if unit == "bytes":
        return "%d bytes" % int(current)
    return "%.1f %s" % (current, unit)
