# Brings the tag names to lower case, as if tags did not depend on case.
def tag_set_init(store, names=None):
    if names is None:
        names = []
    return {
        "store": store,
        "names": [name.lower() if isinstance(name, str) else name for name in names],
    }
