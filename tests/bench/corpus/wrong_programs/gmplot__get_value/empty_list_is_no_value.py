# Wrong: an empty list or map counts as no value
def get_value(dict, keys, default=None, get_key=False):
    for key in keys:
        value = dict.get(key)
        if value is not None and value != [] and value != {}:
            return (key, value) if get_key else value
    return (None, default) if get_key else default
