# Wrong: new names count the renamed fields instead of giving the position.
import keyword


def get_renamed_namedtuple_attributes(field_names):
    names = list(field_names)
    seen = set()
    for i, name in enumerate(field_names):
        if (
            not all(c.isalnum() or c == "_" for c in name)
            or keyword.iskeyword(name)
            or not name
            or name[0].isdigit()
            or name.startswith("_")
            or name in seen
        ):
            names[i] = "_%d" % sum(n.startswith("_") for n in names[:i])
        seen.add(name)
    return tuple(names)
