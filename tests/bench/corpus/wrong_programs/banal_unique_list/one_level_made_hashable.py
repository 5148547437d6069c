# Makes lists and maps hashable one level deep only, so a list or map inside of one makes it fail.
def _key(item):
    if isinstance(item, list):
        return ("list", tuple(item))
    if isinstance(item, dict):
        return ("dict", frozenset(item.items()))
    return ("value", item)


def unique_list(lst):
    seen = {}
    for item in lst:
        seen.setdefault(_key(item), item)
    return list(seen.values())
