"""The best of many slots, equal scores by id. Thousands of alike codes have one score, and are not sorted for it."""

from __future__ import annotations

from array import array
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

# Bytes at the beginning of an id that are compared as a number.
_BEGINNING = 8
_Slots = NDArray[np.int64]


class IdOrder:
    """Order of slots by their ids.

    Args:
        ids: Of each slot, at first.

    Attributes:
        ids: Of each slot; `append` adds to them.
    """

    def __init__(self, ids: Sequence[str] = ()) -> None:
        self.ids: list[str] = []
        self._beginnings = array("Q")
        for function_id in ids:
            self.append(function_id)

    def append(self, function_id: str) -> None:
        """The next slot's id."""
        beginning = function_id.encode("utf-8", "surrogatepass")[:_BEGINNING]
        self.ids.append(function_id)
        self._beginnings.append(int.from_bytes(beginning.ljust(_BEGINNING, b"\0"), "big"))

    def least(self, slots: _Slots, most: int) -> _Slots:
        """The slots of the least ids, in no order.

        Args:
            slots: Each once.
            most: How many at most.
        """
        if len(slots) <= most:
            return slots
        beginnings = np.frombuffer(self._beginnings, dtype=np.uint64)[slots]
        last = np.partition(beginnings, most - 1)[most - 1]
        before, at = slots[beginnings < last], slots[beginnings == last]
        named: list[int] = sorted(at.tolist(), key=self.ids.__getitem__)[: most - len(before)]
        return np.concatenate([before, np.array(named, dtype=np.int64)])

    def by_id(self, slots: _Slots) -> _Slots:
        """The slots in the order of their ids.

        Args:
            slots: Each once.
        """
        beginnings = np.frombuffer(self._beginnings, dtype=np.uint64)[slots]
        order = np.argsort(beginnings)
        if (np.diff(beginnings[order]) == 0).any():
            named: list[int] = sorted(slots.tolist(), key=self.ids.__getitem__)
            return np.array(named, dtype=np.int64)
        return slots[order]

    def best(self, slots: _Slots, scores: NDArray[np.float64], most: int) -> _Slots:
        """The best slots in no order; of equal scores those of the lesser ids.

        Args:
            slots: Each once.
            scores: Of each.
            most: How many at most; at least 1.
        """
        return slots[self._best(slots, scores, most)]

    def top(self, slots: _Slots, scores: NDArray[np.float64], most: int) -> list[tuple[int, float]]:
        """The best slots with their scores, best first, equal scores by id; arguments as of `best`."""
        at = self._best(slots, scores, most)
        pairs = zip(slots[at].tolist(), scores[at].tolist(), strict=True)
        return sorted(pairs, key=lambda one: (-one[1], self.ids[one[0]]))

    def _best(self, slots: _Slots, scores: NDArray[np.float64], most: int) -> _Slots:
        """Places of the best slots among those given."""
        if len(slots) <= most:
            return np.arange(len(slots))
        least = np.partition(scores, len(scores) - most)[len(scores) - most]
        above, level = np.flatnonzero(scores > least), np.flatnonzero(scores == least)
        wanted = most - len(above)
        if len(level) > wanted:
            level = level[np.isin(slots[level], self.least(slots[level], wanted))]
        return np.concatenate([above, level])
