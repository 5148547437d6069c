# wrong: asks whether the coordinates are truthy, not whether they are there, so that an empty geometry is refused
def to_feature(obj):
    if obj["type"] == "Feature":
        return obj
    if obj.get("coordinates"):
        return {"type": "Feature", "properties": {}, "geometry": obj}
    raise ValueError("Object is not a feature or geometry")
