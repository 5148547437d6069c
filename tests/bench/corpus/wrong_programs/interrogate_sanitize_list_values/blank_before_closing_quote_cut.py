# White space at the end of an item inside its quotes is cut off too.
def sanitize_list_values(value: str) -> list[str]:
    if value.startswith("["):
        value = value[1:]
    if value.endswith("]"):
        value = value[:-1]
    if not value:
        return []
    return [item.strip().strip('"').rstrip() for item in value.split(",")]
