# Every sized iterable but text and bytes is taken, so mappings count as listish.
from collections.abc import Iterable, Sized


def is_listish(obj: object) -> bool:
    """Check if something is an iterable collection of items."""
    if isinstance(obj, (str, bytes, bytearray, memoryview)):
        return False
    return isinstance(obj, Iterable) and isinstance(obj, Sized)
