# Wrong: an alias equal to the name is left out.
def import_string(names):
    parts = []
    for name, asname in names:
        if asname is not None and asname != name:
            parts.append(f"{name} as {asname}")
        else:
            parts.append(name)
    return ", ".join(parts)
