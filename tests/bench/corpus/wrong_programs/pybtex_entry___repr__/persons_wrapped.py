# wrong: the persons are pretty-printed, so that long ones are broken over lines
from pprint import pformat


def entry_repr(type, fields, persons):
    parts = [repr(type)]
    if fields:
        parts.append(
            "fields=[\n    " + ",\n    ".join(repr(i) for i in sorted(fields.items())) + "]"
        )
    if persons:
        parts.append("persons=" + pformat(persons))
    return "Entry(" + ",\n  ".join(parts) + ")"
