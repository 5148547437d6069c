# Wrong: a key that is there with null ends the search instead of going on to the next key
def get_value(dict, keys, default=None, get_key=False):
    for key in keys:
        if key in dict:
            value = dict[key]
            if value is None:
                break
            return (key, value) if get_key else value
    return (None, default) if get_key else default
