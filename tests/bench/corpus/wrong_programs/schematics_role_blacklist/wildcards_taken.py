# Wrong: names in the list are taken as shell patterns.
from fnmatch import fnmatchcase


def blacklist(name, value, seq):
    if not seq:
        return False
    return any(
        name == field or fnmatchcase(name, field)
        for field in seq
        if isinstance(field, str)
    )
