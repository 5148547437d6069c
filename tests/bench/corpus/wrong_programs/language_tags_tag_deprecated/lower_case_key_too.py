# Wrong: reads the key in lower case too
def tag_deprecated(data):
    record = data.get("record", {})
    if "Deprecated" in record:
        return record["Deprecated"]
    return record.get("deprecated")
