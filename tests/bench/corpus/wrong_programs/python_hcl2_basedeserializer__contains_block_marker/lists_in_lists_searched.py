# lists within lists are looked into as well
MARKER = "__is_block__"


def base_deserializer_contains_block_marker(obj):
    stack = [obj]
    while stack:
        node = stack.pop()
        if isinstance(node, dict):
            if node.get(MARKER):
                return True
            stack.extend(node.values())
        elif isinstance(node, list):
            stack.extend(node)
    return False
