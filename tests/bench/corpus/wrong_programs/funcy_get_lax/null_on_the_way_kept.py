# wrong: nothing met on the way is given back as such instead of the default
def get_lax(coll, path, default=None):
    for key in path:
        if coll is None:
            return None
        try:
            coll = coll[key]
        except (LookupError, TypeError):
            return default
    return coll
