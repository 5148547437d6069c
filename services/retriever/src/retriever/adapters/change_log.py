"""What replicas changed in the index, in PostgreSQL, whichever store has the codes."""

from __future__ import annotations

from collections.abc import Sequence

import sqlalchemy as sa

from retriever.adapters.held_index import Change
from retriever.adapters.tables import index_changes
from touchstone_runtime.database import Database

# Any number that no other lock uses: writers take turns, so that a number is seen after all lower ones.
_CHANGES_LOCK = 61_042_121
# Who has seen none of so many reads the whole store again.
_KEPT = 10_000


class SqlChangeLog:
    """Implements `ChangeLog`.

    Args:
        database: The retriever's own schema.
        kept: How many changes are kept.
    """

    def __init__(self, database: Database, kept: int = _KEPT) -> None:
        self._database = database
        self._kept = kept

    async def append(self, function_ids: Sequence[str], source_ids: Sequence[str], keys: Sequence[str]) -> None:
        """Note a change that the store has."""
        async with self._database.session() as session:
            await session.execute(sa.select(sa.func.pg_advisory_xact_lock(_CHANGES_LOCK)))
            number = 1 + (await session.execute(_LAST)).scalar_one()
            values = {"function_ids": list(function_ids), "source_ids": list(source_ids), "keys": list(keys)}
            await session.execute(sa.insert(index_changes).values(number=number, **values))
            await session.execute(sa.delete(index_changes).where(index_changes.c.number <= number - self._kept))

    async def head(self) -> int:
        """Number of the last change; 0 where there was none."""
        async with self._database.session() as session:
            return int((await session.execute(_LAST)).scalar_one())

    async def after(self, number: int, most: int) -> list[Change]:
        """Changes after a number, in order."""
        later = sa.select(index_changes).where(index_changes.c.number > number)
        async with self._database.session() as session:
            rows = await session.execute(later.order_by(index_changes.c.number).limit(most))
            return [Change(row[0], tuple(row[1]), tuple(row[2]), tuple(row[3])) for row in rows]


_LAST = sa.select(sa.func.coalesce(sa.func.max(index_changes.c.number), 0))
