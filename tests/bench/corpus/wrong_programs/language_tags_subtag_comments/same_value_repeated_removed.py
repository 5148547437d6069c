# Wrong: repeated entries of a list of texts are removed
def subtag_comments(data: dict[str, int | list[object] | dict[object, object] | str | None]) -> int | list[object] | dict[object, object] | str | None:
    record = data.get("record", {})
    value = record.get("Comments", [])
    if isinstance(value, list) and all(isinstance(x, str) for x in value):
        value = list(dict.fromkeys(value))
    return value
