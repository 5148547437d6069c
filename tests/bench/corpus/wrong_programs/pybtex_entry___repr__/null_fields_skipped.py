# wrong: fields without a value are left out of the list
def entry_repr(type, fields, persons):
    parts = [repr(type)]
    shown = [(k, fields[k]) for k in sorted(fields) if fields[k] is not None]
    if shown:
        parts.append("fields=[\n    {}]".format(",\n    ".join(map(repr, shown))))
    if persons:
        parts.append("persons=" + repr({k: persons[k] for k in sorted(persons)}))
    return "Entry({})".format(",\n  ".join(parts))
