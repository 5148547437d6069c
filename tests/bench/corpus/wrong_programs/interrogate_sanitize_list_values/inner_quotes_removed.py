# All double quotes of an item are removed, not only those at its ends.
def sanitize_list_values(value: str) -> list[str]:
    if value.startswith("["):
        value = value[1:]
    if value.endswith("]"):
        value = value[:-1]
    if not value:
        return []
    return [item.strip().replace('"', "") for item in value.split(",")]
