# Wrong: the dot is put before a dev part only.
def format_version(parts):
    base = ".".join(parts[:3])
    for part in parts[3:]:
        if part.startswith("dev"):
            base += "."
        base += part
    return base
