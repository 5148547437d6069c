# Wrong: a range of regions with two dots is left as it is
def subtag_format(data):
    subtag = data["subtag"]
    if data["type"] == "region" and ".." not in subtag:
        return subtag.upper()
    if data["type"] == "script":
        return subtag.capitalize()
    return subtag
