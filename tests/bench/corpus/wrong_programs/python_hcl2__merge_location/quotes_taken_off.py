# the quotes around a text are taken off
def merge_location(converted, location):
    if isinstance(converted, dict):
        return {**location, **converted}
    if isinstance(converted, str) and len(converted) >= 2:
        if converted[0] == converted[-1] == '"':
            converted = converted[1:-1]
    return {"__value__": converted, **location}
