# Treats an empty text in a map as a missing value and removes its key as well.
def _missing(value):
    return value is None or (isinstance(value, str) and value == "")


def clean_dict(data):
    if isinstance(data, dict):
        return {k: clean_dict(v) for k, v in data.items() if not _missing(v)}
    if isinstance(data, (list, tuple)):
        return [clean_dict(v) for v in data if v is not None]
    return data
