# Only mutable sequences are taken, so a tuple (or a range) is not listish.
from collections.abc import KeysView, ItemsView, MutableSequence, Set, ValuesView


def is_listish(obj: object) -> bool:
    """Check if something is an iterable collection of items."""
    if isinstance(obj, (str, bytes, bytearray)):
        return False
    return isinstance(obj, (MutableSequence, Set, KeysView, ItemsView, ValuesView))
