# Wrong: a property given twice keeps its first value
def dumb_property_dict(style):
    out = {}
    for part in style.split(";"):
        if ":" in part:
            key, value = part.split(":", 1)
            out.setdefault(key.strip().lower(), value.strip().lower())
    return out
