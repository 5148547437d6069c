"""Candidates by place, whose ids are fetched only when they are asked for: hundreds are ranked where ten are shown."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Set

import numpy as np
from numpy.typing import NDArray


class OrderedIds(Set[str]):
    """Ids in ascending order; those that were fetched are remembered with their places.

    Ids of an index that is held in memory lie all over it, and fetching each took a tenth of a search.

    Args:
        id_at: Gives the id of a place.
        count: How many places there are.

    Example:
        >>> ids = OrderedIds(["a", "b"].__getitem__, 2)
        >>> ids[1], ids.place("a"), "c" in ids, ids == {"a", "b"}
        ('b', 0, False, True)
    """

    def __init__(self, id_at: Callable[[int], str], count: int) -> None:
        self._id_at = id_at
        self._count = count
        self._places: dict[str, int] = {}

    def __getitem__(self, place: int) -> str:
        function_id = self._id_at(place)
        self._places[function_id] = place
        return function_id

    def __iter__(self) -> Iterator[str]:
        return map(self.__getitem__, range(self._count))

    def __len__(self) -> int:
        return self._count

    def __contains__(self, function_id: object) -> bool:
        return self.place(function_id) is not None

    def place(self, function_id: object) -> int | None:
        """Where an id stands; None where it is none of these."""
        if function_id not in self._places and len(self._places) < self._count:
            # Who asks for one that nobody has fetched yet fetches all.
            self._places = {one: place for place, one in enumerate(self)}
        return self._places.get(function_id) if isinstance(function_id, str) else None

    @classmethod
    def _from_iterable(cls, it: Iterable[str]) -> frozenset[str]:  # pyright: ignore[reportIncompatibleMethodOverride]
        return frozenset(it)


class Column(Mapping[str, float]):
    """One number of each candidate, by id.

    Args:
        ids: The candidates.
        numbers: (n,) float64, in their order.
    """

    def __init__(self, ids: OrderedIds, numbers: NDArray[np.float64]) -> None:
        self.ids = ids
        self.numbers = numbers

    def __getitem__(self, function_id: str) -> float:
        place = self.ids.place(function_id)
        if place is None:
            raise KeyError(function_id)
        return float(self.numbers[place])

    def __contains__(self, function_id: object) -> bool:
        return function_id in self.ids

    def __iter__(self) -> Iterator[str]:
        return iter(self.ids)

    def __len__(self) -> int:
        return len(self.ids)
