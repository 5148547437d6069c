# The filter is matched as a part of a type name instead of as the whole type name.
def parser_to_dict(parsed, filter_by_type=None):
    """Get a map version of the parsed microformat document."""

    if filter_by_type is None:
        return parsed
    result = []
    for item in parsed["items"]:
        types = item["type"]
        if any(
            isinstance(name, str) and filter_by_type in name if filter_by_type else name == ""
            for name in types
        ):
            result.append(item)
    return result
