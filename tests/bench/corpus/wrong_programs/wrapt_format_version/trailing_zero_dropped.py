# Wrong: a third part of zero is left out.
def format_version(parts):
    base = ".".join(parts[:3])
    if base.endswith(".0"):
        base = base[:-2]
    for part in parts[3:]:
        if part.startswith(("dev", "post")):
            base += "."
        base += part
    return base
