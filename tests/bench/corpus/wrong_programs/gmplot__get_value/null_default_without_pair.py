# Wrong: if the default is null, null is returned alone also when the key is asked for
def get_value(dict, keys, default=None, get_key=False):
    for key in keys:
        if dict.get(key) is not None:
            value = dict[key]
            break
    else:
        if default is None:
            return None
        key, value = None, default
    return (key, value) if get_key else value
