"""Which source versions had their tests run, in PostgreSQL."""

from __future__ import annotations

import sqlalchemy as sa
from sqlalchemy.dialects.postgresql import insert

from pbt_generator import metrics
from touchstone_runtime.database import Database
from touchstone_runtime.storable import storable

TRACES = sa.Table(
    "traces",
    sa.MetaData(),
    sa.Column("version_id", sa.Text, primary_key=True),
    sa.Column("digest", sa.Text),
    sa.Column("cpu_s", sa.Float),
    sa.Column("problem", sa.Text),
)


class SqlTraces:
    """One row a source version; see `Traces`."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def find(self, version_id: str) -> str:
        """Digest of the record; empty when there is none."""
        query = sa.select(TRACES.c.digest).where(TRACES.c.version_id == version_id)
        async with self._database.session() as session:
            return (await session.execute(query)).scalar_one_or_none() or ""

    async def save(self, version_id: str, digest: str, cpu_s: float, problem: str) -> None:
        """Keep it; when two replicas traced, the first one stands."""
        row = {"version_id": version_id, "digest": digest, "cpu_s": cpu_s, "problem": storable(problem)}
        async with self._database.session() as session:
            await session.execute(insert(TRACES).values(row).on_conflict_do_nothing())
        metrics.TRACE_CPU_SECONDS.observe(cpu_s)
