# Wrong: capitals and small letters are not told apart.
def filter_properties(feature: dict[str, bool | int | list[object] | dict[object, object] | str | None], source_id: str | None = None, area_of_use: str | None = None, filename: str | None = None) -> bool:
    def matches(wanted, value):
        if wanted is None:
            return True
        wanted = wanted.lower()
        if isinstance(value, str):
            return wanted in value.lower()
        return wanted in [v.lower() if isinstance(v, str) else v for v in value]

    properties = feature.get("properties") or {}
    if not properties.get("name") or not properties.get("source_id"):
        return False
    return (matches(source_id, properties["source_id"])
            and matches(area_of_use, properties.get("area_of_use", ""))
            and matches(filename, properties["name"]))
