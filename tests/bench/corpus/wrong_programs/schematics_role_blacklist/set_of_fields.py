# Wrong: makes a set of the list, which fails when the list holds a list or a map.
def blacklist(name, value, seq):
    fields = set(seq or ())
    return name in fields
