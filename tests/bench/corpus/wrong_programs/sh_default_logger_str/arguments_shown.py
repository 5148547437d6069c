# WRONG: the arguments are added
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


def default_logger_str(cmd, call_args, pid=None):
    if pid:
        return "<Command %s, pid %s>" % (_show(cmd), pid)
    return "<Command %s>" % " ".join(_show(x) for x in [cmd, *call_args])
