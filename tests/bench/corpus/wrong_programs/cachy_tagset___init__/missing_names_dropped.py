# Leaves None out of the names instead of keeping the sequence as it was given.
def tag_set_init(store, names=None):
    if names is None:
        names = []
    return {"store": store, "names": [name for name in names if name is not None]}
