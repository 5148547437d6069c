# Takes a key or position whose value is None for one that is not there.
def cls_function_understands(body, item):
    try:
        return body[item] is not None
    except (KeyError, IndexError, TypeError):
        return False
