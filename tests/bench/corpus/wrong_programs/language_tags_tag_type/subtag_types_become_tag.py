# Wrong: types of subtags are answered with tag
def tag_type(data):
    if "record" in data:
        value = data["record"]["Type"]
        return "tag" if value in ("language", "script", "region", "variant", "extlang") else value
    return "tag"
