# Nested children with the wanted type are collected too, not only top-level items.
def parser_to_dict(parsed, filter_by_type=None):
    """Get a map version of the parsed microformat document."""

    if filter_by_type is None:
        return parsed

    result = []

    def collect(items):
        for item in items:
            if filter_by_type in item["type"]:
                result.append(item)
            collect(item.get("children", []))

    collect(parsed["items"])
    return result
