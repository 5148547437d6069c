# Wrong: Description of the data itself is taken where the record has none
def tag_descriptions(data: dict[str, int | list[object] | dict[object, object] | str | None]) -> int | list[object] | dict[object, object] | str | None:
    record = data.get("record", {})
    if "Description" in record:
        return record["Description"]
    return data.get("Description", [])
