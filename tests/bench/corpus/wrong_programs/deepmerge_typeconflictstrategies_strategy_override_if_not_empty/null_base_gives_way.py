# a null base gives way to anything, an empty value too
from collections.abc import Sized


def strategy_override_if_not_empty(config, path, base, nxt):
    if base is None:
        return nxt
    if nxt is None or (isinstance(nxt, Sized) and len(nxt) == 0):
        return base
    return nxt
