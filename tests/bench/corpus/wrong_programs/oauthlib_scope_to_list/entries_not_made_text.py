# WRONG: entries of a list stay what they are
def _show(v, f=repr):
    """Text of a value as Python shows it, maps in ascending key order."""
    def s(x):
        if isinstance(x, dict):
            if type(x) is not dict:
                return repr(x)
            try:
                keys = sorted(x)
            except TypeError:
                keys = sorted((k for k in x if not isinstance(k, str)), key=lambda k: (str(type(k)), k) if k is not None else ("", 0)) + sorted(k for k in x if isinstance(k, str))
            return "{" + ", ".join(s(k) + ": " + s(x[k]) for k in keys) + "}"
        if type(x) is list:
            return "[" + ", ".join(s(y) for y in x) + "]"
        if type(x) is tuple:
            return "(" + ", ".join(s(y) for y in x) + (",)" if len(x) == 1 else ")")
        return repr(x)
    return s(v)


def scope_to_list(scope):
    if scope is None:
        return None
    if isinstance(scope, (list, tuple, set)):
        return list(scope)
    return scope.strip().split(" ")
