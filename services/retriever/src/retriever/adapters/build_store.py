"""How far a build of the index is, in PostgreSQL."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractAsyncContextManager

import sqlalchemy as sa
from sqlalchemy.dialects.postgresql import insert

from retriever.adapters.tables import index_build
from retriever.ports import BuildPlace
from touchstone_runtime.database import Database

# Any number that no other lock uses: of several replicas one builds.
_BUILD_LOCK = 61_042_119


class SqlBuildStore:
    """Implements `BuildStore`."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def begin(self, places: Sequence[tuple[str, int]]) -> bool:
        """Note places to read from their first message, unless a build goes on; gives whether it did."""
        rows = [
            {"stream": stream, "partition": partition, "position": 0, "taken": 0, "waiting": -1}
            for stream, partition in places
        ]
        async with self._database.session() as session:
            if (await session.execute(sa.select(sa.func.count()).select_from(index_build))).scalar_one():
                return False
            await session.execute(insert(index_build).values(rows).on_conflict_do_nothing())
            return True

    async def places(self) -> list[BuildPlace]:
        """How far each place is; none where no build goes on."""
        query = sa.select(index_build).order_by(index_build.c.stream, index_build.c.partition)
        async with self._database.session() as session:
            return [
                BuildPlace(row.stream, row.partition, row.position, row.taken, row.waiting)
                for row in await session.execute(query)
            ]

    async def advance(self, stream: str, partition: int, position: int, taken: int, left: int) -> None:
        """Note that a place was read up to a position."""
        here = sa.and_(index_build.c.stream == stream, index_build.c.partition == partition)
        async with self._database.session() as session:
            await session.execute(
                sa.update(index_build)
                .where(here)
                .values(position=position, taken=index_build.c.taken + taken, waiting=left)
            )

    async def ended(self, stream: str) -> None:
        """Note that nothing is left of a stream."""
        async with self._database.session() as session:
            await session.execute(sa.update(index_build).where(index_build.c.stream == stream).values(waiting=0))

    async def finish(self) -> None:
        """Note that the build is done."""
        async with self._database.session() as session:
            await session.execute(sa.delete(index_build))

    def turn(self) -> AbstractAsyncContextManager[bool]:
        """Held by one process at a time; gives whether it is this one. A process that ends gives it back."""
        return self._database.turn(_BUILD_LOCK)
