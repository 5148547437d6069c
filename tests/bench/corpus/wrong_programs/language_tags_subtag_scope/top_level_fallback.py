# Wrong: Scope of the data itself is taken where the record has none
def subtag_scope(data: dict[str, int | list[object] | dict[object, object] | str | None]) -> int | list[object] | dict[object, object] | str | None:
    record = data.get("record", {})
    if "Scope" in record:
        return record["Scope"]
    return data.get("Scope", None)
