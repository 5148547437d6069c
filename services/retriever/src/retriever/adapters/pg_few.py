"""What a narrow filter leaves, kept in memory between questions: looking its vectors up takes most of such a search."""

from __future__ import annotations

import asyncio
import time
from collections import OrderedDict
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import sqlalchemy as sa
from numpy.typing import NDArray

from retriever.adapters.pg_rows import conditions
from retriever.adapters.tables import code_vectors, codes, index_writes
from retriever.domain.code import SearchFilter, Vectors
from retriever.domain.scoring import DIGITS
from touchstone_runtime.reading import Reader, written

_MOST_BYTES = 256 * 2**20
_MOST_NOTED = 1000
# A replica of the release before does not count what it writes.
_REMEMBERED_S = 10.0
_WRITES = written(sa.select(index_writes.c.writes))

_Key = tuple[SearchFilter, tuple[tuple[str, int], ...]]


@dataclass(frozen=True)
class _Space:
    """Vectors of one space: ids by code point, and (n, d) float32 rows."""

    ids: list[str]
    rows: NDArray[np.float32]
    places: dict[str, int]


@dataclass(frozen=True)
class _Kept:
    writes: int
    until: float
    spaces: tuple[_Space, ...]

    @property
    def bytes(self) -> int:
        return sum(space.rows.nbytes for space in self.spaces)


class FewCodes:
    """Cosines of all that a filter leaves, from memory, as long as nothing was written since it was read.

    Every writer counts its transaction in the database, whichever replica it is of; each question looks at the count.
    What is asked under a filter for the second time between two writes is read into memory.

    Args:
        reader: Of the retriever's own schema.
        most_bytes: What is kept at most; what was asked longest ago goes first.
    """

    def __init__(self, reader: Reader, most_bytes: int = _MOST_BYTES) -> None:
        self._reader = reader
        self._most_bytes = most_bytes
        self._kept: OrderedDict[_Key, _Kept] = OrderedDict()
        self._asked: OrderedDict[_Key, int] = OrderedDict()
        self._fetching = asyncio.Lock()

    async def cosines(
        self, query: Vectors, chosen: SearchFilter, depth: int, more: Collection[str]
    ) -> dict[str, dict[str, float]] | None:
        """As `PgNear.cosines`; None where the database has to be asked."""
        key = (chosen, tuple((key, len(query[key])) for key in sorted(query)))
        kept = await self._at_hand(key)
        if kept is None:
            return None
        # Row by row: the threads that a product by matrix starts wait for one another longer than it takes.
        cosines = [
            np.vecdot(space.rows, query[name]) for space, (name, _dimensions) in zip(kept.spaces, key[1], strict=True)
        ]
        ids = set(more)
        for space, products in zip(kept.spaces, cosines, strict=True):
            # Ids are in order, and the sort keeps it among equals.
            ids.update(space.ids[place] for place in np.argsort(-products, kind="stable")[:depth])
        found: dict[str, dict[str, float]] = {}
        for space, products, (name, _dimensions) in zip(kept.spaces, cosines, key[1], strict=True):
            there = [one for one in ids if one in space.places]
            values = products[[space.places[one] for one in there]].astype(np.float64).tolist()
            found[name] = {one: round(value, DIGITS) for one, value in zip(there, values, strict=True)}
        return found

    async def _at_hand(self, key: _Key) -> _Kept | None:
        [(writes,)] = await self._reader.rows(_WRITES)
        if (kept := self._known(key, writes)) is not None:
            return kept
        if self._asked.get(key) != writes:
            self._asked[key] = writes
            self._asked.move_to_end(key)
            while len(self._asked) > _MOST_NOTED:
                self._asked.popitem(last=False)
            return None
        async with self._fetching:
            if (kept := self._known(key, writes)) is not None:
                return kept
            # Counted before it is read: what is written meanwhile makes this one old at once, never new.
            kept = _Kept(writes, time.monotonic() + _REMEMBERED_S, await self._read(key))
            self._kept[key] = kept
            while sum(one.bytes for one in self._kept.values()) > self._most_bytes:
                self._kept.popitem(last=False)
            return kept

    def _known(self, key: _Key, writes: int) -> _Kept | None:
        kept = self._kept.get(key)
        if kept is None or kept.writes != writes or time.monotonic() > kept.until:
            self._kept.pop(key, None)
            return None
        self._kept.move_to_end(key)
        return kept

    async def _read(self, key: _Key) -> tuple[_Space, ...]:
        chosen, spaces = key
        found: list[_Space] = []
        for name, dimensions in spaces:
            query = (
                sa.select(
                    code_vectors.c.function_id, sa.func.vector_send(code_vectors.c.embedding, type_=sa.LargeBinary)
                )
                .join(codes, codes.c.function_id == code_vectors.c.function_id)
                .where(code_vectors.c.model == name, code_vectors.c.dimensions == dimensions, *conditions(chosen))
            )
            rows = await self._reader.rows(written(query))
            found.append(await asyncio.to_thread(_space, rows, dimensions))
        return tuple(found)


def _space(rows: Sequence[Any], dimensions: int) -> _Space:
    in_order = sorted(rows, key=lambda row: row[0])
    sent = b"".join(row[1][4:] for row in in_order)
    ids = [row[0] for row in in_order]
    vectors = np.frombuffer(sent, dtype=">f4").astype(np.float32).reshape(len(ids), dimensions)
    return _Space(ids, vectors, {one: place for place, one in enumerate(ids)})
