# Only ASCII white space is stripped from the items, so a no-break space at an end is kept.
def sanitize_list_values(value: str) -> list[str]:
    if value.startswith("["):
        value = value[1:]
    if value.endswith("]"):
        value = value[:-1]
    if not value:
        return []
    return [item.strip(" \t\n\r\f\v").strip('"') for item in value.split(",")]
