# Of the negative positions it knows only -1, the others from the end count as out of range.
def cls_function_understands(body, item):
    if isinstance(body, dict):
        try:
            return item in body
        except TypeError:
            return False
    if isinstance(item, int):
        if item < 0:
            return item == -1 and len(body) > 0
        return item < len(body)
    return False
