# wrong: an integer that is no key of a map is looked up as a text as well
def get_lax(coll, path, default=None):
    for key in path:
        try:
            if isinstance(coll, dict) and key not in coll:
                key = str(key)
            coll = coll[key]
        except (KeyError, IndexError, TypeError):
            return default
    return coll
