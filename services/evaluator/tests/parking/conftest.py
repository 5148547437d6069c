"""Answers that wait for a batch, in memory; it passes the contract suite of the real one."""

from __future__ import annotations

from collections.abc import Collection, Sequence

import pytest

from evaluator.ports import Place
from evaluator.usecases.parking import Parking


class MemoryParked:
    def __init__(self) -> None:
        self.kept: dict[tuple[str, Place], str] = {}

    async def park(self, run_id: str, place: Place, key: str) -> None:
        self.kept[run_id, place] = key

    async def parked(self) -> list[tuple[str, Place, str]]:
        return [(*place, key) for place, key in sorted(self.kept.items())]

    async def unpark(self, run_id: str, waited: Sequence[tuple[Place, str]]) -> None:
        for place, key in waited:
            if self.kept.get((run_id, place)) == key:
                del self.kept[run_id, place]


class OpenBatches:
    """Questions in batches, by their keys."""

    def __init__(self) -> None:
        self.open: set[str] = set()
        self.given_up: set[str] = set()
        self.anew: list[str] = []

    async def waiting(self, keys: Collection[str]) -> set[str]:
        return self.open & set(keys)

    async def give_up(self, keys: Collection[str]) -> None:
        self.given_up |= set(keys)

    async def begin_anew(self, model: str) -> None:
        self.anew.append(model)


@pytest.fixture
def parked() -> MemoryParked:
    return MemoryParked()


@pytest.fixture
def batches() -> OpenBatches:
    return OpenBatches()


@pytest.fixture
def parking(store, announcer, parked, batches) -> Parking:
    return Parking(store, announcer, parked, batches)
