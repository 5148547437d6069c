"""Taking embedded functions into the index, and letting go of what a source holds no more."""

from __future__ import annotations

from collections.abc import Sequence

from retriever.domain.code import IndexEntry
from retriever.ports import CodeIndex, ReadingRecord, ReadingStore


class IndexFunctions:
    """Takes batches into the index; of a code that is in a batch twice the last word counts."""

    def __init__(self, index: CodeIndex, readings: ReadingStore) -> None:
        self._index = index
        self._readings = readings

    async def __call__(self, entries: Sequence[IndexEntry]) -> None:
        """Index a batch; doing it again changes nothing."""
        latest = {entry.code.function_id: entry for entry in entries}
        readings = await self._readings.readings({entry.code.source_id for entry in latest.values()})
        await self._index.upsert(list(latest.values()), readings)


class SettleSource:
    """Notes what a source held when it was read; what was removed, renamed or moved leaves the index."""

    def __init__(self, index: CodeIndex, readings: ReadingStore) -> None:
        self._index = index
        self._readings = readings

    async def __call__(self, record: ReadingRecord) -> None:
        """Take a reading in; seeing it again changes nothing."""
        await self._readings.add(record)
        found = await self._readings.readings({record.source_id})
        if record.source_id in found:
            await self._index.settle(record.source_id, found[record.source_id])
