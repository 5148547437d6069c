# WRONG: bytes get a decimal too
def format_bytes(bytes):
    current = float(bytes)
    for unit in ("bytes", "KB", "MB", "GB", "TB"):
        if current < 1024:
            break
        current /= 1024
    if unit == "bytes":
        return "%.1f bytes" % current
    return "%.1f %s" % (current, unit)
