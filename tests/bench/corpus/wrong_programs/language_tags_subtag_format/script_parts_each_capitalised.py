# Wrong: each part around a hyphen is capitalised
def subtag_format(data):
    subtag = data["subtag"]
    if data["type"] == "region":
        return subtag.upper()
    if data["type"] == "script":
        return "-".join(p.capitalize() for p in subtag.split("-"))
    return subtag
