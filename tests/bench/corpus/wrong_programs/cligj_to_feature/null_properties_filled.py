# wrong: a feature with null properties is tidied up instead of being given back verbatim
def to_feature(obj):
    if obj["type"] == "Feature":
        if "properties" in obj and obj["properties"] is None:
            obj = dict(obj, properties={})
        return obj
    if "coordinates" in obj:
        return {"type": "Feature", "properties": {}, "geometry": obj}
    raise ValueError("Object is not a feature or geometry")
