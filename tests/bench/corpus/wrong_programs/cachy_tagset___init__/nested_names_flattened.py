# A name that is itself a list is spread into the names instead of staying one entry.
def tag_set_init(store, names=None):
    flat = []
    for name in names if names is not None else []:
        if isinstance(name, (list, tuple)):
            flat.extend(name)
        else:
            flat.append(name)
    return {"store": store, "names": flat}
