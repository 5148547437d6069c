# Wrong: empty values are left out
def dumb_property_dict(style):
    out = {}
    for part in style.split(";"):
        if ":" in part:
            key, value = part.split(":", 1)
            if value.strip():
              out[key.strip().lower()] = value.strip().lower()
    return out
