# Wrong: the entry of the outer map beats that of the record
def tag_deprecated(data):
    record = data.get("record", {})
    if "Deprecated" in record:
        return data.get("Deprecated", record["Deprecated"])
    return None
