# wrong: a text of digits is taken for a position in a list
def get_lax(coll, path, default=None):
    for key in path:
        if isinstance(coll, list) and isinstance(key, str) and key.isdigit():
            key = int(key)
        try:
            coll = coll[key]
        except (KeyError, IndexError, TypeError):
            return default
    return coll
