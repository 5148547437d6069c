# Wrong: the dot is put before a post part only.
def format_version(parts):
    base = ".".join(parts[:3])
    for part in parts[3:]:
        if part.startswith("post"):
            base += "."
        base += part
    return base
