# Wrong: drops !important from values
def dumb_property_dict(style):
    out = {}
    for part in style.split(";"):
        if ":" in part:
            key, value = part.split(":", 1)
            out[key.strip().lower()] = value.replace("!important", "").strip().lower()
    return out
