# a null in the map is replaced by the value of the location
def merge_location(converted, location):
    if not isinstance(converted, dict):
        return {"__value__": converted, **location}
    present = {key: value for key, value in converted.items() if value is not None}
    return {**converted, **location, **present}
