# wrong: the entries are ordered by their names in lower case
def entry_repr(type, fields, persons):
    def ordered(mapping):
        return sorted(mapping.items(), key=lambda item: item[0].lower())

    parts = [repr(type)]
    if fields:
        lines = ",\n    ".join(repr(item) for item in ordered(fields))
        parts.append("fields=[\n    %s]" % lines)
    if persons:
        parts.append("persons=%r" % dict(ordered(persons)))
    return "Entry(%s)" % ",\n  ".join(parts)
