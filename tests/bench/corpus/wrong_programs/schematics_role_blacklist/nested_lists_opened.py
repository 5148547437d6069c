# Wrong: also looks into lists inside the list.
def blacklist(name, value, seq):
    if not seq:
        return False
    for field in seq:
        if field == name:
            return True
        if isinstance(field, list) and blacklist(name, value, field):
            return True
    return False
