"""Counts as people read them."""

from __future__ import annotations


def counted(count: int, what: str, several: str = "") -> str:
    """A count with its noun.

    Example:
        >>> counted(1, "task"), counted(1163, "task"), counted(2, "branch", "branches")
        ('1 task', '1,163 tasks', '2 branches')
    """
    return f"{count:,} {what if count == 1 else several or f'{what}s'}"


def unjudged_words(ended: int, cancelled: int) -> str:
    """Answers that ended without a verdict: lost to faults, or cancelled by a person.

    Args:
        ended: How many of both.
        cancelled: How many of them a person ended.

    Example:
        >>> unjudged_words(3, 0), unjudged_words(1, 1), unjudged_words(3, 1)
        ('3 answers lost', '1 answer cancelled', '2 answers lost, 1 cancelled')
    """
    if ended <= cancelled:
        return f"{counted(cancelled, 'answer')} cancelled"
    lost = f"{counted(ended - cancelled, 'answer')} lost"
    return f"{lost}, {cancelled:,} cancelled" if cancelled else lost
