# the answer for the first mapping of a list is taken for the whole list
MARKER = "__is_block__"


def _in_list(items):
    for item in items:
        if isinstance(item, dict):
            return base_deserializer_contains_block_marker(item)
    return False


def base_deserializer_contains_block_marker(obj):
    if obj.get(MARKER):
        return True
    for value in obj.values():
        if isinstance(value, dict) and base_deserializer_contains_block_marker(value):
            return True
        if isinstance(value, list) and _in_list(value):
            return True
    return False
