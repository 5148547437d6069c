# Wrong: an empty key counts as no key.
def path_join(path, key):
    if not key:
        return path
    return path + (key,)
