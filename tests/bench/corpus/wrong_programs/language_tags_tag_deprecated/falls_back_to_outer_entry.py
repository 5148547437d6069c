# Wrong: takes the entry of the outer map where a record has none
def tag_deprecated(data):
    record = data.get("record", {})
    if "Deprecated" in record:
        return record["Deprecated"]
    if "record" in data:
        return data.get("Deprecated")
    return None
