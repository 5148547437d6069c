# Removes the None values from a list while it iterates over the same list, so that of neighbouring None values some remain.
def clean_dict(data):
    if isinstance(data, dict):
        return {k: clean_dict(v) for k, v in data.items() if v is not None}
    if isinstance(data, (list, tuple)):
        items = list(data)
        for index, item in enumerate(items):
            if item is None:
                del items[index]
        return [clean_dict(item) for item in items]
    return data
