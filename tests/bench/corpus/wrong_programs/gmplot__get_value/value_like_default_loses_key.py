# Wrong: a value that equals the default is reported as the default, with no key
def get_value(dict, keys, default=None, get_key=False):
    value = next((dict[k] for k in keys if dict.get(k) is not None), default)
    if not get_key:
        return value
    if value == default:
        return (None, value)
    return (next(k for k in keys if dict.get(k) is not None), value)
