"""What a source holds no more stays gone, whoever writes into the index beside its reading."""

from __future__ import annotations

import asyncio

import pytest

from retriever.domain.code import SearchFilter
from retriever.ports import ReadingRecord
from retriever.usecases.index import IndexFunctions, SettleSource

HELD = {"both": {("pkg/core.py", "f"), ("pkg/core.py", "g")}, "one": {("pkg/core.py", "g")}}


def reading(version, held):
    return ReadingRecord("id-shapes", f"shapes-{version}.0", "", f"2026-01-0{version}T00:00:00", True, "", "", held)


class OldReadings:
    """The readings of a replica that is told at once, and whose answer comes late."""

    def __init__(self, readings):
        self._readings = readings
        self.asked, self.go_on = asyncio.Event(), asyncio.Event()

    async def add(self, record):
        await self._readings.add(record)

    async def readings(self, source_ids):
        found = await self._readings.readings(source_ids)
        self.asked.set()
        await self.go_on.wait()
        return found


@pytest.fixture
def late(memory_readings):
    memory_readings.standing = HELD
    return OldReadings(memory_readings)


async def found(index):
    return [one.place[2] for one in await index.select(SearchFilter(path="**"), 10)]


async def test_a_batch_that_lands_behind_a_newer_reading_brings_nothing_back(
    late, memory_index, memory_readings, entry
):
    settle = SettleSource(memory_index, memory_readings)
    await settle(reading(1, "both"))
    batch = asyncio.create_task(IndexFunctions(memory_index, late)([entry("f"), entry("g", 10)]))
    await late.asked.wait()
    await settle(reading(2, "one"))
    late.go_on.set()
    await batch
    assert await found(memory_index) == ["g"]


async def test_of_two_readings_at_once_the_later_one_counts(late, memory_index, memory_readings, entry):
    await IndexFunctions(memory_index, memory_readings)([entry("f"), entry("g", 10)])
    first = asyncio.create_task(SettleSource(memory_index, late)(reading(1, "both")))
    await late.asked.wait()
    await SettleSource(memory_index, memory_readings)(reading(2, "one"))
    late.go_on.set()
    await first
    assert await found(memory_index) == ["g"]
