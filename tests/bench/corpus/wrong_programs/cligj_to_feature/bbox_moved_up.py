# wrong: the bounding box is moved from the geometry to the feature
def to_feature(obj):
    if obj["type"] == "Feature":
        return obj
    if "coordinates" not in obj:
        raise ValueError("Object is not a feature or geometry")
    feature = {"type": "Feature", "properties": {}, "geometry": dict(obj)}
    if "bbox" in obj:
        feature["bbox"] = feature["geometry"].pop("bbox")
    return feature
