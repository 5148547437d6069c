# falsy values other than integers (0.0) are taken for empty
def strategy_override_if_not_empty(config, path, base, nxt):
    if nxt or isinstance(nxt, int):
        return nxt
    return base
