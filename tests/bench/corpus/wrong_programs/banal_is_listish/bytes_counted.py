# Only text is excluded from the Sequence types, so bytes count as listish.
from collections.abc import ItemsView, KeysView, Sequence, Set, ValuesView


def is_listish(obj: object) -> bool:
    """Check if something is an iterable collection of items."""
    if isinstance(obj, str):
        return False
    return isinstance(obj, (Sequence, Set, KeysView, ItemsView, ValuesView))
