# maps under the same key are merged instead of that of converted being kept
def merge_location(converted, location):
    if not isinstance(converted, dict):
        return {"__value__": converted, **location}
    merged = {**location, **converted}
    for key in converted.keys() & location.keys():
        if isinstance(converted[key], dict) and isinstance(location[key], dict):
            merged[key] = {**location[key], **converted[key]}
    return merged
