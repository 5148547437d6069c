# lists are looked through in the outermost mapping only and in mappings that are items of those
MARKER = "__is_block__"


def _in_mapping(obj):
    if obj.get(MARKER):
        return True
    return any(_in_mapping(value) for value in obj.values() if isinstance(value, dict))


def base_deserializer_contains_block_marker(obj):
    if _in_mapping(obj):
        return True
    for value in obj.values():
        if isinstance(value, list):
            for item in value:
                if isinstance(item, dict) and base_deserializer_contains_block_marker(item):
                    return True
    return False
