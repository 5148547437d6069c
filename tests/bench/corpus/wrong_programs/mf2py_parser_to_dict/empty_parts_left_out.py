# Without a filter, top-level parts that are empty lists or maps are left out of the document.
def parser_to_dict(parsed, filter_by_type=None):
    """Get a map version of the parsed microformat document."""

    if filter_by_type is None:
        return {
            key: value
            for key, value in parsed.items()
            if not (isinstance(value, (list, dict)) and not value)
        }
    return [item for item in parsed["items"] if filter_by_type in item["type"]]
