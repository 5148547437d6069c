# Wrong: the name is lowered in the key.
def sort_key(name):
    if name.startswith("__"):
        return 2, name
    if name.startswith("_"):
        return 1, name
    return 0, name.lower()
