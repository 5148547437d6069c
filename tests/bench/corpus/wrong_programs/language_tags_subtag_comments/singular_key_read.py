# Wrong: the key Comment is read too
def subtag_comments(data: dict[str, int | list[object] | dict[object, object] | str | None]) -> int | list[object] | dict[object, object] | str | None:
    record = data.get("record", {})
    return record.get("Comments", record.get("Comment", []))
