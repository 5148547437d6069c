# a value of the map that counts as false is replaced by that of the location
def merge_location(converted, location):
    if not isinstance(converted, dict):
        return {"__value__": converted, **location}
    merged = dict(converted)
    for key, value in location.items():
        merged[key] = merged.get(key) or value
    return merged
