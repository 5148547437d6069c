# Wrong: the key comments is read too where Comments is missing
def subtag_comments(data: dict[str, int | list[object] | dict[object, object] | str | None]) -> int | list[object] | dict[object, object] | str | None:
    record = data.get("record", {})
    for key in ("Comments", "comments"):
        if key in record:
            return record[key]
    return []
