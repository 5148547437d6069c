# Wrong: the file name is looked at only where no source id is given.
def filter_properties(feature: dict[str, bool | int | list[object] | dict[object, object] | str | None], source_id: str | None = None, area_of_use: str | None = None, filename: str | None = None) -> bool:
    properties = feature.get("properties")
    if not properties:
        return False
    name = properties.get("name")
    source = properties.get("source_id")
    if not name or not source:
        return False
    if area_of_use is not None and area_of_use not in properties.get("area_of_use", ""):
        return False
    if source_id is not None:
        return source_id in source
    elif filename is not None:
        return filename in name
    return True
