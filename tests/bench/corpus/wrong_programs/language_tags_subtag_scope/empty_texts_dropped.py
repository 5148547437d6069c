# Wrong: empty texts inside a list are dropped
def subtag_scope(data: dict[str, int | list[object] | dict[object, object] | str | None]) -> int | list[object] | dict[object, object] | str | None:
    record = data.get("record", {})
    value = record.get("Scope", None)
    if isinstance(value, list):
        value = [x for x in value if x != ""]
    return value
