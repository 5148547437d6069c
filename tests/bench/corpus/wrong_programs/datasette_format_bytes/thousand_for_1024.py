# WRONG: steps of 1000
def format_bytes(bytes):
    current = float(bytes)
    for unit in ("bytes", "KB", "MB", "GB", "TB"):
        if current < 1000:
            break
        current /= 1000
    if unit == "bytes":
        return "%d bytes" % int(current)
    return "%.1f %s" % (current, unit)
