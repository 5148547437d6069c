"""Releases in PostgreSQL."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import sqlalchemy as sa
from sqlalchemy.dialects.postgresql import insert

from pbt_generator.adapters.store import DECISIONS
from pbt_generator.ports import ReleaseRow
from touchstone_runtime.database import Database

_META = sa.MetaData()
RELEASES = sa.Table(
    "releases",
    _META,
    sa.Column("name", sa.Text, primary_key=True),
    sa.Column("number", sa.BigInteger),
    sa.Column("digest", sa.Text),
    sa.Column("manifest_digest", sa.Text),
    sa.Column("tasks", sa.Integer),
    sa.Column("created_at", sa.DateTime(timezone=True)),
)
RELEASE_TASKS = sa.Table(
    "release_tasks",
    _META,
    sa.Column("release", sa.Text, primary_key=True),
    sa.Column("task_id", sa.Text, primary_key=True),
)


class SqlReleases:
    """Releases and which tasks they hold; see `Releases`."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def save(self, row: ReleaseRow, task_ids: Sequence[str]) -> tuple[ReleaseRow, bool]:
        """Keep a release, and say whether it is new; when there is one of this name, that one stands and is given."""
        values = {
            "name": row.name,
            "digest": row.digest,
            "manifest_digest": row.manifest_digest,
            "tasks": row.tasks,
        }
        statement = insert(RELEASES).values(values).on_conflict_do_nothing().returning(RELEASES.c.name)
        async with self._database.session() as session:
            new = (await session.execute(statement)).first() is not None
            if new and task_ids:
                held = [{"release": row.name, "task_id": task_id} for task_id in task_ids]
                await session.execute(insert(RELEASE_TASKS), held)
        return await self.find(row.name) or row, new

    async def find(self, name: str) -> ReleaseRow | None:
        """One release."""
        found = await self._rows(RELEASES.c.name == name)
        return found[0] if found else None

    async def all(self) -> Sequence[ReleaseRow]:
        """Every release, oldest first."""
        return await self._rows(sa.true())

    async def holding(self, task_id: str) -> Sequence[str]:
        """Names of the releases that hold a task."""
        query = (
            sa.select(RELEASE_TASKS.c.release)
            .where(RELEASE_TASKS.c.task_id == task_id)
            .order_by(RELEASE_TASKS.c.release)
        )
        async with self._database.session() as session:
            return list((await session.execute(query)).scalars())

    async def _rows(self, which: sa.ColumnElement[bool]) -> list[ReleaseRow]:
        releases = sa.select(RELEASES).where(which).order_by(RELEASES.c.number)
        retracted = (
            sa.select(RELEASE_TASKS.c.release, RELEASE_TASKS.c.task_id, DECISIONS.c.retracted)
            .join(DECISIONS, DECISIONS.c.task_id == RELEASE_TASKS.c.task_id)
            .where(
                DECISIONS.c.retracted.is_not(None),
                RELEASE_TASKS.c.release.in_(sa.select(RELEASES.c.name).where(which)),
            )
        )
        async with self._database.session() as session:
            rows = (await session.execute(releases)).mappings().all()
            notes: dict[str, dict[str, str]] = {}
            for name, task_id, note in await session.execute(retracted):
                notes.setdefault(name, {})[task_id] = note
        return [_row(row, notes.get(row["name"], {})) for row in rows]


def _row(row: Any, retractions: dict[str, str]) -> ReleaseRow:
    return ReleaseRow(
        row["name"], row["digest"], row["manifest_digest"], row["tasks"], row["created_at"].isoformat(), retractions
    )
