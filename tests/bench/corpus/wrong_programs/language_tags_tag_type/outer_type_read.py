# Wrong: reads a type of the outer map where there is no record
def tag_type(data):
    if "record" in data:
        return data["record"]["Type"]
    return data.get("Type", "tag")
