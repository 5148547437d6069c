# Wrong: nothing is appended as a key.
def path_join(path, key):
    return path + (key,)
