# Wrong: two underscores count only when they stand at the end too.
def sort_key(name):
    if name.startswith("__") and name.endswith("__"):
        return 2, name
    if name.startswith("_"):
        return 1, name
    return 0, name
