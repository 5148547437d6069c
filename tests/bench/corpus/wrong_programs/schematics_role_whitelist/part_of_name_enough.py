# Wrong: a name that is only a part of a listed one counts as listed.
def whitelist(name, value, seq):
    if not seq:
        return True
    for field in seq:
        if isinstance(field, str) and (field == name or name and name in field):
            return False
    return True
