# Wrong: the key description is read too where Description is missing
def tag_descriptions(data: dict[str, int | list[object] | dict[object, object] | str | None]) -> int | list[object] | dict[object, object] | str | None:
    record = data.get("record", {})
    for key in ("Description", "description"):
        if key in record:
            return record[key]
    return []
