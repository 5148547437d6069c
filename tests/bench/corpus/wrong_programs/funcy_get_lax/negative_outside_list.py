# wrong: a position below zero counts as outside a list
def get_lax(coll, path, default=None):
    for key in path:
        if isinstance(coll, list):
            if not isinstance(key, int) or not 0 <= key < len(coll):
                return default
            coll = coll[key]
        else:
            try:
                coll = coll[key]
            except (KeyError, IndexError, TypeError):
                return default
    return coll
