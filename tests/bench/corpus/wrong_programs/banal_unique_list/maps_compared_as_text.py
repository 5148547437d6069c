# Compares unhashable items by their repr, so that equal maps with their keys in another order count as different.
def _key(item):
    try:
        hash(item)
    except TypeError:
        return ("unhashable", repr(item))
    return ("hashable", item)


def unique_list(lst):
    seen = {}
    for item in lst:
        seen.setdefault(_key(item), item)
    return list(seen.values())
