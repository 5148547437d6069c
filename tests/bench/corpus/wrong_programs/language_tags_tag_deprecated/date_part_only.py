# Wrong: cuts a text to the ten characters of a date
def tag_deprecated(data):
    record = data.get("record", {})
    if "Deprecated" in record:
        value = record["Deprecated"]
        return value[:10] if isinstance(value, str) else value
    return None
