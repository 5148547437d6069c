# Goes on into sequences only: a map that is directly the value of a key is copied without being cleaned.
def _clean_items(items):
    return [clean_dict(item) for item in items if item is not None]


def clean_dict(data):
    if isinstance(data, dict):
        out = {}
        for key, value in data.items():
            if value is None:
                continue
            if isinstance(value, (list, tuple)):
                value = _clean_items(value)
            out[key] = value
        return out
    if isinstance(data, (list, tuple)):
        return _clean_items(data)
    return data
