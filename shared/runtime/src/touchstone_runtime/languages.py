"""Target languages as people read them."""

from __future__ import annotations

from collections.abc import Iterable


def python_first(languages: Iterable[str]) -> list[str]:
    """Languages in the order in which they are shown: the one that tasks come from, then the others by name.

    Example:
        >>> python_first(["go", "typescript", "python"])
        ['python', 'go', 'typescript']
    """
    return sorted(languages, key=lambda each: (each != "python", each))
