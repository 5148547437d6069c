# Wrong: false counts as no value
def get_value(dict, keys, default=None, get_key=False):
    found, result = None, default
    for key in keys:
        value = dict.get(key)
        if value is None or value is False:
            continue
        found, result = key, value
        break
    return (found, result) if get_key else result
