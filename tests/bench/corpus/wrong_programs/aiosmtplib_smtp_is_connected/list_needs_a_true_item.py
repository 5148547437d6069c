# WRONG: a list is true only if one of its items is true, instead of whenever it is not empty.
def smtp_is_connected(protocol):
    if protocol is None:
        return False
    value = protocol["is_connected"]
    if isinstance(value, (list, tuple)):
        return any(bool(item) for item in value)
    return bool(value)
