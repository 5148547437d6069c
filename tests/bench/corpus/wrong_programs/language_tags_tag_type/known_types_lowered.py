# Wrong: grandfathered and redundant are answered in lower case
def tag_type(data):
    if "record" in data:
        value = data["record"]["Type"]
        if isinstance(value, str) and value.lower() in ("grandfathered", "redundant"):
            return value.lower()
        return value
    return "tag"
