# Wrong: the key is put in front of the path.
def path_join(path, key):
    if key is None:
        return path
    return (key,) + path
