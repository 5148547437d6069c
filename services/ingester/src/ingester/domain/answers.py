"""Answers to questions that lead to others, and perhaps back to themselves."""

from __future__ import annotations

from collections.abc import Callable

# A question that leads to more others is not answered.
_MOST_STEPS = 2000

Key = tuple[str | int, ...]


class Answers:
    """Keeps answers, which are sets of bits.

    Args:
        known: What was answered before; more comes to it.
        worst: The answer where nobody knows; what has it is certain, whatever a circle may add.
    """

    def __init__(self, known: dict[Key, int], worst: int) -> None:
        self._known = known
        self._worst = worst
        self._active: set[Key] = set()
        self._circular = False
        self._steps = 0

    def _once(self, key: Key, find: Callable[[], int]) -> int:
        """An answer that is kept; what is asked for while it is being found is nothing yet."""
        if key in self._known:
            return self._known[key]
        if key in self._active:
            self._circular = True
            return 0
        self._steps = self._steps + 1 if self._active else 0
        if self._steps > _MOST_STEPS:
            return self._worst
        self._active.add(key)
        fate = find()
        self._active.discard(key)
        # What was found in a circle may lack what another member of it does.
        if not self._circular or not self._active or fate & self._worst:
            self._known[key] = fate
        if not self._active:
            self._circular = False
        return fate
