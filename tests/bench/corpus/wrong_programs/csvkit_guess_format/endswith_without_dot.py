# wrong: tests how the name ends without the dot, so data.geojson counts as json


def guess_format(filename: str) -> str | None:
    if "." not in filename:
        return "fixed"
    name = filename.lower()
    for extension in ("csv", "dbf", "fixed", "xlsx", "xls", "json"):
        if name.endswith(extension):
            return extension
    if name.endswith("js"):
        return "json"
    return None
