# Wrong: the order of the names is lost.
def import_string(names):
    parts = []
    for name, asname in names:
        if asname is not None:
            parts.append(f"{name} as {asname}")
        else:
            parts.append(name)
    return ", ".join(sorted(parts))
