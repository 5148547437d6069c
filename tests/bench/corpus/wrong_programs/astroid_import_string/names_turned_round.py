# Wrong: alias and name are exchanged.
def import_string(names):
    parts = []
    for name, asname in names:
        if asname is not None:
            parts.append(f"{asname} as {name}")
        else:
            parts.append(name)
    return ", ".join(parts)
