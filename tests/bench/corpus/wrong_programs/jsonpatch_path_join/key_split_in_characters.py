# Wrong: the key is spread into its characters.
def path_join(path, key):
    if key is None:
        return path
    return path + tuple(key)
