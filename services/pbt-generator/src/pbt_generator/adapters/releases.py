"""Releases in PostgreSQL, and where the parts of their tasks are read."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Collection, Sequence
from pathlib import Path
from typing import Any

import sqlalchemy as sa
from sqlalchemy.dialects.postgresql import insert

from pbt_generator.adapters.store import DECISIONS
from pbt_generator.ports import ReleaseRow
from touchstone_runtime.blobs import BlobStore
from touchstone_runtime.database import Database
from touchstone_runtime.exported import Stray, file_inside, strays_of

_DIGEST = re.compile(r"[0-9a-f]{64}")
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


class BlobParts:
    """Parts as they lie in the blob store; see `Parts`."""

    def __init__(self, blobs: BlobStore) -> None:
        self._blobs = blobs

    async def get(self, digest: str) -> bytes | None:
        """The bytes that lie under a digest, sound or not; None when there are none.

        Who opens a task compares digests, and names those that differ.
        """
        return await self._blobs.get_at(f"{digest[:2]}/{digest}") if _DIGEST.fullmatch(digest) else None

    def place(self, digest: str) -> str:
        """Where that is, for people."""
        return f"blob {digest[:2]}/{digest}"


class FolderParts:
    """Parts as they lie in an exported folder; see `Parts`.

    Args:
        folder: The folder with one file for each digest.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    async def get(self, digest: str) -> bytes | None:
        """The bytes that lie under a digest; None when there are none."""
        path = self._folder / digest
        if not _DIGEST.fullmatch(digest) or not path.is_file():
            return None
        return await asyncio.to_thread(path.read_bytes)

    def place(self, digest: str) -> str:
        """Where that is, for people."""
        return str(self._folder / digest)


class ExportedFolder:
    """A folder that `release export` wrote; see `Folder`."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder.resolve()
        self.name = str(folder)
        self.parts = FolderParts(folder / "parts")

    async def read(self, path: str) -> bytes | None:
        """The bytes of a file; None when there is none inside of the folder."""
        target = file_inside(self._folder, path)
        return await asyncio.to_thread(target.read_bytes) if target else None

    async def strays(self, belonging: Collection[str]) -> list[Stray]:
        """What lies in the folder beside these files."""
        return await asyncio.to_thread(strays_of, self._folder, belonging)
