# Wrong: two underscores rank as one.
def sort_key(name):
    if name.startswith("_"):
        return 1, name
    return 0, name
