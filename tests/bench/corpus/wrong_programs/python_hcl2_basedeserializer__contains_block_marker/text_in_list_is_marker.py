# the text of the marker as an item of a list counts as a marker
MARKER = "__is_block__"


def base_deserializer_contains_block_marker(obj):
    if obj.get(MARKER):
        return True
    for value in obj.values():
        if isinstance(value, dict):
            if base_deserializer_contains_block_marker(value):
                return True
        elif isinstance(value, list):
            if MARKER in value:
                return True
            for item in value:
                if isinstance(item, dict) and base_deserializer_contains_block_marker(item):
                    return True
    return False
