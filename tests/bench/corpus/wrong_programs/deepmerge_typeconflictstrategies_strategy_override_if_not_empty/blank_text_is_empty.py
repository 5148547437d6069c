# a text of white space only is taken for empty
from collections.abc import Sized


def strategy_override_if_not_empty(config, path, base, nxt):
    if nxt is None:
        return base
    if isinstance(nxt, str):
        return nxt if nxt.strip() else base
    if isinstance(nxt, Sized) and len(nxt) == 0:
        return base
    return nxt
