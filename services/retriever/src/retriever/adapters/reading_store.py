"""Readings of sources in PostgreSQL, what stood in them in the blob store."""

from __future__ import annotations

import asyncio
import json
from collections import OrderedDict
from collections.abc import Collection, Sequence

import sqlalchemy as sa
from sqlalchemy.dialects.postgresql import insert

from retriever.adapters.tables import readings
from retriever.domain.code import plain_path
from retriever.domain.versions import Reading
from retriever.ports import ReadingRecord
from touchstone_runtime.blobs import BlobStore
from touchstone_runtime.database import Database

_REMEMBERED = 32


class SqlReadingStore:
    """Implements `ReadingStore`."""

    def __init__(self, database: Database, blobs: BlobStore) -> None:
        self._database = database
        self._blobs = blobs
        self._standing: OrderedDict[tuple[str, str, str], frozenset[tuple[str, str]]] = OrderedDict()

    async def add(self, record: ReadingRecord) -> None:
        """Keep a reading; of one version the latest counts."""
        row = {name: getattr(record, name) for name in ReadingRecord.__dataclass_fields__}
        new = insert(readings).values(row)
        async with self._database.session() as session:
            await session.execute(
                new.on_conflict_do_update(
                    index_elements=["source_id", "source_version_id"],
                    set_={name: new.excluded[name] for name in row if name not in ("source_id", "source_version_id")},
                    # A pass that broke off says nothing about one that did not.
                    where=sa.and_(
                        new.excluded.read_at >= readings.c.read_at,
                        sa.or_(new.excluded.whole, sa.not_(readings.c.whole)),
                    ),
                )
            )

    async def readings(self, source_ids: Collection[str]) -> dict[str, Reading]:
        """The last whole reading of each source; sources without one are missing."""
        query = sa.select(readings).where(readings.c.source_id.in_(sorted(source_ids))).order_by(readings.c.read_at)
        by_source: dict[str, list[ReadingRecord]] = {}
        async with self._database.session() as session:
            for row in (await session.execute(query)).mappings():
                by_source.setdefault(row["source_id"], []).append(ReadingRecord(**row))
        found = {source_id: await self._last(records) for source_id, records in by_source.items()}
        return {source_id: reading for source_id, reading in found.items() if reading is not None}

    async def _last(self, records: Sequence[ReadingRecord]) -> Reading | None:
        whole = [position for position, record in enumerate(records) if record.whole]
        if not whole:
            return None
        last = records[whole[-1]]
        return Reading(
            last.source_version_id,
            frozenset(record.source_version_id for record in records[: whole[-1]]),
            await self._places(last) if last.digest else None,
            last.version_key,
        )

    async def _places(self, record: ReadingRecord) -> frozenset[tuple[str, str]]:
        key = (record.digest, record.repository, record.version)
        if key not in self._standing:
            data = await self._blobs.get(record.digest)
            self._standing[key] = await asyncio.to_thread(places_of, data, record.repository, record.version)
            while len(self._standing) > _REMEMBERED:
                self._standing.popitem(last=False)
        self._standing.move_to_end(key)
        return self._standing[key]


def places_of(data: bytes, repository: str, version: str) -> frozenset[tuple[str, str]]:
    """Plain path and qualified name of all that a blob names."""
    return frozenset((plain_path(path, repository, version), qualname) for path, qualname in json.loads(data))
