# fields of the location that are null are left out
def merge_location(converted, location):
    location = {key: value for key, value in location.items() if value is not None}
    if isinstance(converted, dict):
        return {**location, **converted}
    return {"__value__": converted, **location}
