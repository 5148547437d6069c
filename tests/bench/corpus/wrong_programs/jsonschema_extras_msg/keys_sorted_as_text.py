# Wrong: the keys of a map are sorted by their text, so that 10 comes before 9.
def _show(x):
    if isinstance(x, dict):
        keys = sorted(x, key=str)
        return "{" + ", ".join(f"{k!r}: {_show(x[k])}" for k in keys) + "}"
    if isinstance(x, list):
        return "[" + ", ".join(_show(e) for e in x) + "]"
    return repr(x)


def extras_msg(extras):
    verb = "was" if len(extras) == 1 else "were"
    return ", ".join(_show(e) for e in extras), verb
