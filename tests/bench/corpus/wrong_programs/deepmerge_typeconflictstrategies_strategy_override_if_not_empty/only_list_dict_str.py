# only lists, maps and texts are looked at: an empty tuple or set overrides
def strategy_override_if_not_empty(config, path, base, nxt):
    if nxt is None:
        return base
    if isinstance(nxt, (list, dict, str)) and not nxt:
        return base
    return nxt
