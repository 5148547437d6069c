# Wrong: the name after as is not written.
def import_string(names):
    parts = []
    for name, asname in names:
        if asname is not None:
            parts.append(name)
        else:
            parts.append(name)
    return ", ".join(parts)
