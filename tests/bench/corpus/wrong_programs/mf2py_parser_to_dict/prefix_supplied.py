# The h- prefix may be left out of the filter: "card" also selects items of the type "h-card".
def parser_to_dict(parsed, filter_by_type=None):
    """Get a map version of the parsed microformat document."""

    if filter_by_type is None:
        return parsed
    wanted = [filter_by_type]
    if filter_by_type and not filter_by_type.startswith("h-"):
        wanted.append("h-" + filter_by_type)
    return [
        item
        for item in parsed["items"]
        if any(name in item["type"] for name in wanted)
    ]
