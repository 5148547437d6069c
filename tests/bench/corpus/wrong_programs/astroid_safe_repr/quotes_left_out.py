# Wrong: str is used, so a text has no quotes.
def _ordered(v):
    if isinstance(v, dict):
        ints = sorted(k for k in v if not isinstance(k, str))
        texts = sorted(k for k in v if isinstance(k, str))
        return {k: _ordered(v[k]) for k in ints + texts}
    if isinstance(v, list):
        return [_ordered(x) for x in v]
    if isinstance(v, tuple):
        return tuple(_ordered(x) for x in v)
    return v


def safe_repr(obj):
    try:
        return str(_ordered(obj))
    except Exception:
        return "???"
