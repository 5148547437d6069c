# Wrong: a type that is null is answered with tag
def tag_type(data):
    if "record" in data:
        value = data["record"]["Type"]
        return "tag" if value is None else value
    return "tag"
