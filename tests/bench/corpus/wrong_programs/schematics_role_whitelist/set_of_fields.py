# Wrong: makes a frozenset of the list, which fails when the list holds a list or a map.
def whitelist(name, value, seq):
    if not seq:
        return True
    allowed = frozenset(seq)
    return name not in allowed
