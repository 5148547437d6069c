# wrong: roles without any person are dropped before the persons are shown
def entry_repr(type, fields, persons):
    pieces = [repr(type)]
    if fields:
        pieces.append(
            "fields=[\n    {}]".format(
                ",\n    ".join("(%r, %r)" % (k, fields[k]) for k in sorted(fields))
            )
        )
    filled = {k: persons[k] for k in sorted(persons) if persons[k] not in ([], None)}
    if filled:
        pieces.append("persons={!r}".format(filled))
    return "Entry(" + ",\n  ".join(pieces) + ")"
