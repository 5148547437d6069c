# Wrong: empty texts inside a list are dropped
def tag_descriptions(data: dict[str, int | list[object] | dict[object, object] | str | None]) -> int | list[object] | dict[object, object] | str | None:
    record = data.get("record", {})
    value = record.get("Description", [])
    if isinstance(value, list):
        value = [x for x in value if x != ""]
    return value
