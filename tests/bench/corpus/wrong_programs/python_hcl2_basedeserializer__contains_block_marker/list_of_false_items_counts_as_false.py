# a list as marker counts as true only if one of its items does
MARKER = "__is_block__"


def _is_true(value):
    if isinstance(value, list):
        return any(_is_true(item) for item in value)
    return bool(value)


def base_deserializer_contains_block_marker(obj):
    if _is_true(obj.get(MARKER)):
        return True
    for value in obj.values():
        for item in value if isinstance(value, list) else [value]:
            if isinstance(item, dict) and base_deserializer_contains_block_marker(item):
                return True
    return False
