# Wrong: keys are looked up without regard to case
def get_value(dict, keys, default=None, get_key=False):
    folded = {name.lower(): value for name, value in dict.items() if value is not None}
    for key in keys:
        if key.lower() in folded:
            value = folded[key.lower()]
            return (key, value) if get_key else value
    return (None, default) if get_key else default
