# Takes a tuple for several items, each of which must be a key, instead of for one key.
def _accepts(body, item):
    try:
        body[item]
    except (KeyError, IndexError, TypeError):
        return False
    return True


def cls_function_understands(body, item):
    if isinstance(item, tuple) and item:
        return all(_accepts(body, part) for part in item)
    return _accepts(body, item)
