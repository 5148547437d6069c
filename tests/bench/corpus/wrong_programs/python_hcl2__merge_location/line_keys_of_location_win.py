# keys of the location with double underscores replace those of the map
def merge_location(converted, location):
    if not isinstance(converted, dict):
        merged = {"__value__": converted}
        merged.update(location)
        return merged
    merged = {**location, **converted}
    for key, value in location.items():
        if key in ("__start_line__", "__end_line__"):
            merged[key] = value
    return merged
