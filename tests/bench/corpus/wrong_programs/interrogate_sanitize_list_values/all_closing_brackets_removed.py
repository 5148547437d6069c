# All closing brackets at the end of the text are removed instead of one.
def sanitize_list_values(value: str) -> list[str]:
    if value.startswith("["):
        value = value[1:]
    value = value.rstrip("]")
    if not value:
        return []
    return [item.strip().strip('"') for item in value.split(",")]
