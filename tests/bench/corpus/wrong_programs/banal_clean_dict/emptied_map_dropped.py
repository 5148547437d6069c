# A map inside a map that has no keys left after the cleaning is removed together with its key.
def clean_dict(data):
    if isinstance(data, dict):
        out = {}
        for key, value in data.items():
            if value is None:
                continue
            cleaned = clean_dict(value)
            if isinstance(cleaned, dict) and not cleaned:
                continue
            out[key] = cleaned
        return out
    if isinstance(data, (list, tuple)):
        return [clean_dict(v) for v in data if v is not None]
    return data
