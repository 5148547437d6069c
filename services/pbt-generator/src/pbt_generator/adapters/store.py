"""Tasks and refusals in PostgreSQL."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, replace
from typing import Any

import sqlalchemy as sa
from sqlalchemy.dialects.postgresql import JSONB, insert

from pbt_generator.domain.foreign import IMPORTERS
from pbt_generator.domain.refusals import Reason, Refusal
from pbt_generator.domain.task.record import AMENDED, BuiltTask
from pbt_generator.usecases.serve import Decision, StoredRefusal, StoredTask
from touchstone_runtime.database import Database
from touchstone_runtime.storable import storable, storable_tree

_META = sa.MetaData()
DECISIONS = sa.Table(
    "decisions",
    _META,
    sa.Column("function_id", sa.Text, primary_key=True),
    sa.Column("builder", sa.Text, primary_key=True),
    sa.Column("number", sa.BigInteger),
    sa.Column("task_id", sa.Text),
    sa.Column("kind", sa.Text),
    sa.Column("task", JSONB),
    sa.Column("refusal", sa.Text),
    sa.Column("detail", sa.Text),
    sa.Column("cpu_s", sa.Float),
    sa.Column("function", JSONB),
    sa.Column("retracted", sa.Text),
)

# Imported tasks are found by their ids, and stand in a list of their own.
_OURS = DECISIONS.c.builder.not_like(f"{IMPORTERS}%")


class SqlDecisions:
    """The generator's own table: one row a function, with its task or its refusal; see `Decisions`."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def find(self, function_id: str, builder: str) -> Decision | None:
        """What was decided about a function."""
        query = sa.select(DECISIONS).where(DECISIONS.c.function_id == function_id, DECISIONS.c.builder == builder)
        async with self._database.session() as session:
            row = (await session.execute(query)).mappings().first()
        return None if row is None else _decision(row)

    async def save(
        self, function_id: str, builder: str, kind: str, decision: Decision, function: dict[str, Any], cpu_s: float
    ) -> Decision:
        """Store a decision; when two replicas decided, the first one stands and is returned."""
        row = _row(function_id, builder, kind, decision, function, cpu_s)
        async with self._database.session() as session:
            await session.execute(insert(DECISIONS).values(row).on_conflict_do_nothing())
        return await self.find(function_id, builder) or decision

    async def tasks(self, kind: str = "", limit: int = 0, *, imported: bool = False) -> Sequence[StoredTask]:
        """Tasks that stand, oldest first: our own, or the imported ones."""
        whose = sa.not_(_OURS) if imported else _OURS
        query = sa.select(DECISIONS).where(DECISIONS.c.task_id.is_not(None), DECISIONS.c.retracted.is_(None), whose)
        if kind:
            query = query.where(DECISIONS.c.kind == kind)
        query = query.order_by(DECISIONS.c.number)
        if limit:
            query = query.limit(limit)
        async with self._database.session() as session:
            rows = (await session.execute(query)).mappings().all()
        return [_stored(row) for row in rows]

    async def refusals(self, reason: str = "", limit: int = 0) -> Sequence[StoredRefusal]:
        """Candidates that gave no task, newest first; of one reason where one is named."""
        query = sa.select(DECISIONS).where(DECISIONS.c.refusal.is_not(None)).order_by(DECISIONS.c.number.desc())
        if reason:
            query = query.where(DECISIONS.c.refusal == reason)
        if limit:
            query = query.limit(limit)
        async with self._database.session() as session:
            rows = (await session.execute(query)).mappings().all()
        return [
            StoredRefusal(row["kind"], Refusal(Reason(row["refusal"]), row["detail"]), row["function"]) for row in rows
        ]

    async def retracted(self) -> Sequence[tuple[str, str]]:
        """Every task that was taken back, with the reason."""
        query = (
            sa.select(DECISIONS.c.task_id, DECISIONS.c.retracted)
            .where(DECISIONS.c.retracted.is_not(None))
            .order_by(DECISIONS.c.task_id)
        )
        async with self._database.session() as session:
            return [(row.task_id, row.retracted) for row in await session.execute(query)]

    async def matching(self, prefix: str) -> Sequence[StoredTask]:
        """Tasks whose id begins with a text; two at most, which is enough to see that it is ambiguous."""
        query = (
            sa.select(DECISIONS)
            .where(DECISIONS.c.task_id.startswith(prefix, autoescape=True))
            .order_by(DECISIONS.c.task_id)
            .limit(2)
        )
        async with self._database.session() as session:
            rows = (await session.execute(query)).mappings().all()
        return [_stored(row) for row in rows]

    async def retract(self, task_id: str, reason: str) -> str:
        """Mark a task as wrong; gives the reason that stands, which is the first one."""
        query = (
            sa.update(DECISIONS)
            .where(DECISIONS.c.task_id == task_id)
            .values(retracted=sa.func.coalesce(DECISIONS.c.retracted, storable(reason)))
            .returning(DECISIONS.c.retracted)
        )
        async with self._database.session() as session:
            return str((await session.execute(query)).scalar_one())

    async def supersede(
        self, task_id: str, note: str, builder: str, task: BuiltTask, function: dict[str, Any]
    ) -> BuiltTask | None:
        """Keep a task in the place of one that stands, which is taken back; gives the first one of this version."""
        this = DECISIONS.c.task_id == task_id
        # Of several that would take the place one holds the row; the others find it taken back.
        standing = sa.select(DECISIONS.c.number).where(this, DECISIONS.c.retracted.is_(None)).with_for_update()
        row = _row(task.function_id, builder, task.kind, task, function, 0.0)
        async with self._database.session() as session:
            if (await session.execute(standing)).first() is None:
                return None
            await session.execute(insert(DECISIONS).values(row).on_conflict_do_nothing())
            await session.execute(sa.update(DECISIONS).where(this).values(retracted=storable(note)))
        kept = await self.find(task.function_id, builder)
        return kept if isinstance(kept, BuiltTask) else None

    async def amended(self) -> Sequence[StoredTask]:
        """Tasks of our own that stand and took the place of another one, oldest first."""
        amended = DECISIONS.c.builder.contains(AMENDED, autoescape=True)
        stands = DECISIONS.c.task_id.is_not(None), DECISIONS.c.retracted.is_(None)
        query = sa.select(DECISIONS).where(amended, *stands, _OURS).order_by(DECISIONS.c.number)
        async with self._database.session() as session:
            rows = (await session.execute(query)).mappings().all()
        return [_stored(row) for row in rows]

    async def counts(self) -> dict[str, int]:
        """How many tasks of our own that stand, retracted tasks, and refusals by reason."""
        released = sa.case((DECISIONS.c.retracted.is_(None), "tasks"), else_="retracted")
        reason = sa.func.coalesce(DECISIONS.c.refusal, released).label("reason")
        reasons = sa.select(reason).where(_OURS).subquery()
        query = sa.select(reasons.c.reason, sa.func.count()).group_by(reasons.c.reason)
        async with self._database.session() as session:
            return {str(name): int(count) for name, count in await session.execute(query)}


def _row(
    function_id: str, builder: str, kind: str, decision: Decision, function: dict[str, Any], cpu_s: float
) -> dict[str, Any]:
    decision = storable_decision(decision)
    row: dict[str, Any] = {
        "function_id": function_id,
        "builder": builder,
        "kind": kind,
        "cpu_s": cpu_s,
        "function": storable_tree(function),
        "task_id": None,
        "task": None,
        "refusal": None,
        "detail": "",
    }
    if isinstance(decision, Refusal):
        return row | {"refusal": decision.reason.value, "detail": decision.detail}
    return row | {"task_id": decision.task_id, "task": asdict(decision)}


def storable_decision(decision: Decision) -> Decision:
    """A decision as PostgreSQL keeps it: authors and models may say what no database holds."""
    if isinstance(decision, Refusal):
        return replace(decision, detail=storable(decision.detail))
    return _built(storable_tree(asdict(decision)))


def _decision(row: Any) -> Decision:
    if row["refusal"] is not None:
        return Refusal(Reason(row["refusal"]), row["detail"])
    return _task(row)


def _task(row: Any) -> BuiltTask:
    return _built(row["task"] if isinstance(row["task"], dict) else json.loads(row["task"]))


def _built(content: dict[str, Any]) -> BuiltTask:
    content = {**content, "languages": tuple(content["languages"]), "gaps": tuple(content.get("gaps", ()))}
    return BuiltTask(**content)


def _stored(row: Any) -> StoredTask:
    return StoredTask(_task(row), row["function"], row["retracted"] or "")
