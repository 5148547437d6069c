# Wrong: all underscores are counted.
def sort_key(name):
    return min(name.count("_"), 2), name
