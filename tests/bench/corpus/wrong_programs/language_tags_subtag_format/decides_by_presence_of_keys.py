# Wrong: an entry under region is also taken to mean that this is a region
def subtag_format(data):
    subtag = data["subtag"]
    if data["type"] == "region" or data.get("region"):
        return subtag.upper()
    if data["type"] == "script":
        return subtag.capitalize()
    return subtag
