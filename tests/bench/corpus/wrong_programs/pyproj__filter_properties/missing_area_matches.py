# Wrong: a feature without an area of use passes every filter by area.
def filter_properties(feature: dict[str, bool | int | list[object] | dict[object, object] | str | None], source_id: str | None = None, area_of_use: str | None = None, filename: str | None = None) -> bool:
    properties = feature.get("properties")
    if not properties:
        return False
    name = properties.get("name")
    source = properties.get("source_id")
    if not name or not source:
        return False
    area = properties.get("area_of_use")
    if source_id is not None and source_id not in source:
        return False
    if area_of_use is not None and area and area_of_use not in area:
        return False
    return filename is None or filename in name
