"""Which kill patterns were computed, in PostgreSQL."""

from __future__ import annotations

import sqlalchemy as sa
from sqlalchemy.dialects.postgresql import insert

from touchstone_runtime.database import Database

KILL_PATTERNS = sa.Table(
    "kill_patterns",
    sa.MetaData(),
    sa.Column("task_id", sa.Text, primary_key=True),
    sa.Column("version", sa.Integer, primary_key=True),
    sa.Column("digest", sa.Text),
)


class SqlKillPatterns:
    """One row a task and version; see `KillPatterns`."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def find(self, task_id: str, version: int) -> str:
        """Digest of the patterns; empty when there are none."""
        mine = (KILL_PATTERNS.c.task_id == task_id, KILL_PATTERNS.c.version == version)
        async with self._database.session() as session:
            return (await session.execute(sa.select(KILL_PATTERNS.c.digest).where(*mine))).scalar_one_or_none() or ""

    async def save(self, task_id: str, version: int, digest: str) -> None:
        """Keep it; the first one stands."""
        row = {"task_id": task_id, "version": version, "digest": digest}
        async with self._database.session() as session:
            await session.execute(insert(KILL_PATTERNS).values(row).on_conflict_do_nothing())
