# wrong: properties that the geometry carries become the feature's, which should be empty
def to_feature(obj):
    if obj["type"] == "Feature":
        return obj
    if "coordinates" not in obj:
        raise ValueError("Object is not a feature or geometry")
    geometry = {k: v for k, v in obj.items() if k != "properties"}
    return {
        "type": "Feature",
        "properties": obj.get("properties", {}),
        "geometry": geometry,
    }
