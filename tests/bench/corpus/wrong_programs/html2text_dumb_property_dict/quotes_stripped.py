# Wrong: quotation marks around values are taken off
def dumb_property_dict(style):
    out = {}
    for part in style.split(";"):
        if ":" in part:
            key, value = part.split(":", 1)
            out[key.strip().lower()] = value.strip().strip("\"'").lower()
    return out
