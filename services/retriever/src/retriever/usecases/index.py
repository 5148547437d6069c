"""Taking embedded functions into the index, and letting go of what a source holds no more."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from retriever.domain.code import IndexEntry
from retriever.domain.versions import Reading
from retriever.ports import NO_READINGS, CodeIndex, ReadingRecord, ReadingStore


class IndexFunctions:
    """Takes batches into the index; of a code that is in a batch twice the last word counts."""

    def __init__(self, index: CodeIndex, readings: ReadingStore) -> None:
        self._index = index
        self._readings = readings

    async def __call__(self, entries: Sequence[IndexEntry]) -> None:
        """Index a batch; doing it again changes nothing."""
        latest = {entry.code.function_id: entry for entry in entries}
        source_ids = {entry.code.source_id for entry in latest.values()}
        readings = await self._readings.readings(source_ids)
        await self._index.upsert(list(latest.values()), readings)
        await _settle(self._index, self._readings, source_ids, readings)


class SettleSource:
    """Notes what a source held when it was read; what was removed, renamed or moved leaves the index."""

    def __init__(self, index: CodeIndex, readings: ReadingStore) -> None:
        self._index = index
        self._readings = readings

    async def __call__(self, record: ReadingRecord) -> None:
        """Take a reading in; seeing it again changes nothing."""
        await self._readings.add(record)
        await _settle(self._index, self._readings, {record.source_id})


async def _settle(
    index: CodeIndex,
    store: ReadingStore,
    source_ids: Collection[str],
    marked: Mapping[str, Reading] = NO_READINGS,
) -> None:
    """Mark what stands no more by the last readings, until those are still the last after marking.

    Another writer may have noted a newer reading and marked by it before this one wrote by an older. Whoever writes
    last looks last, so in the end all is marked by the last reading.

    Args:
        index: Where codes are.
        store: The readings.
        source_ids: Whose.
        marked: By which readings they are marked already.
    """
    settled = dict(marked)
    while True:
        last = await store.readings(source_ids)
        newer = {source_id: reading for source_id, reading in last.items() if settled.get(source_id) != reading}
        if not newer:
            return
        for source_id, reading in newer.items():
            await index.settle(source_id, reading)
        settled |= newer
