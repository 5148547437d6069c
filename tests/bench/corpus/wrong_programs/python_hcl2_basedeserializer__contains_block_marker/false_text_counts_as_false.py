# the texts false and 0 under the marker count as false
MARKER = "__is_block__"


def _marked(obj):
    value = obj.get(MARKER)
    if isinstance(value, str):
        return value.strip().lower() not in ("", "false", "0")
    return bool(value)


def base_deserializer_contains_block_marker(obj):
    if _marked(obj):
        return True
    children = []
    for value in obj.values():
        if isinstance(value, dict):
            children.append(value)
        elif isinstance(value, list):
            children += [item for item in value if isinstance(item, dict)]
    return any(base_deserializer_contains_block_marker(child) for child in children)
