# Scalars other than integers are forgotten: for None or a float it fails at len() instead of giving False.
from collections.abc import Iterator, Mapping


def is_listish(obj: object) -> bool:
    """Check if something is an iterable collection of items."""
    if isinstance(obj, (str, bytes, bytearray)):
        return False
    if isinstance(obj, (int, Mapping, Iterator)):
        return False
    return len(obj) >= 0
