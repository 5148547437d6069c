# Wrong: a dotted name also counts as found when only its first part is in the list.
def blacklist(name, value, seq):
    if not seq:
        return False
    return name in seq or name.split(".", 1)[0] in seq
