# Wrong: the key scope is read too where Scope is missing
def subtag_scope(data: dict[str, int | list[object] | dict[object, object] | str | None]) -> int | list[object] | dict[object, object] | str | None:
    record = data.get("record", {})
    for key in ("Scope", "scope"):
        if key in record:
            return record[key]
    return None
