# Wrong: leading underscores are removed from the key.
def sort_key(name):
    if name.startswith("__"):
        return 2, name
    if name.startswith("_"):
        return 1, name.lstrip("_")
    return 0, name
