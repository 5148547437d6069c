# Wrong: a key equal to the last one is not appended.
def path_join(path, key):
    if key is None or (path and path[-1] == key):
        return path
    return path + (key,)
