"""Counts as people read them."""

from __future__ import annotations


def counted(count: int, what: str, several: str = "") -> str:
    """A count with its noun.

    Example:
        >>> counted(1, "task"), counted(1163, "task"), counted(2, "branch", "branches")
        ('1 task', '1,163 tasks', '2 branches')
    """
    return f"{count:,} {what if count == 1 else several or f'{what}s'}"
