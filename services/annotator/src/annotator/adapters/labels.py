"""Labels in PostgreSQL."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager
from dataclasses import asdict
from typing import Any

import sqlalchemy as sa
from sqlalchemy.dialects.postgresql import distinct_on, insert
from sqlalchemy.ext.asyncio import AsyncSession

from annotator.adapters.tables import LABELS
from annotator.domain.pair import Pair
from annotator.domain.statistics import Effort
from annotator.domain.training import TrainingRow
from annotator.ports import LabelCounts, StepSummary, StoredLabel

_CHUNK = 500


class SqlLabels:
    """Labels in the service's own schema; see the port.

    Args:
        session: Opens a session in a transaction, as `Database.session` does.
    """

    def __init__(self, session: Callable[[], AbstractAsyncContextManager[AsyncSession]]) -> None:
        self._session = session

    async def find(self, pair_id: str, method_id: str) -> StoredLabel | None:
        """The label of a pair under a method."""
        statement = sa.select(LABELS).where(LABELS.c.pair_id == pair_id, LABELS.c.method_id == method_id)
        async with self._session() as session:
            row = (await session.execute(statement)).mappings().one_or_none()
        return _from_row(row) if row is not None else None

    async def add(self, label: StoredLabel) -> StoredLabel:
        """Store a label unless the pair has one under this method; the first one wins."""
        statement = insert(LABELS).values(**_to_row(label)).on_conflict_do_nothing()
        mine = sa.select(LABELS).where(LABELS.c.pair_id == label.pair.pair_id, LABELS.c.method_id == label.method_id)
        async with self._session() as session:
            await session.execute(statement)
            row = (await session.execute(mine)).mappings().one()
        return _from_row(row)

    async def newest(self, limit: int, query: str = "") -> list[StoredLabel]:
        """The newest label of each pair, newest first."""
        newest = _newest(query).subquery()
        statement = sa.select(newest).order_by(newest.c.labelled_at.desc(), newest.c.pair_id).limit(limit)
        async with self._session() as session:
            return [_from_row(row) for row in (await session.execute(statement)).mappings()]

    async def counts(self) -> LabelCounts:
        """Counts over the newest label of each pair."""
        newest = _newest().subquery()
        count = sa.func.count()
        statement = sa.select(
            count,
            count.filter(newest.c.label == 1),
            count.filter(newest.c.unclear),
            count.filter(newest.c.executed.is_not(None)),
            count.filter(newest.c.executed.is_(True)),
            count.filter(newest.c.audit != newest.c.label),
        )
        async with self._session() as session:
            return LabelCounts(*(int(value) for value in (await session.execute(statement)).one()))

    async def training(self, *, with_undecided: bool = False) -> AsyncIterator[TrainingRow]:
        """The newest label of each pair as training data, ordered by pair.

        Args:
            with_undecided: Also pairs on which no agent gave a usable judgement.
        """
        newest = _newest().subquery()
        wanted = sa.select(newest.c.query, newest.c.code, newest.c.label, newest.c.pair_id)
        if not with_undecided:
            wanted = wanted.where(newest.c.decided_by != "default")
        after = ""
        while True:
            page = wanted.where(newest.c.pair_id > after).order_by(newest.c.pair_id).limit(_CHUNK)
            async with self._session() as session:
                rows = (await session.execute(page)).all()
            for row in rows:
                yield TrainingRow(row.query, row.code, row.label)
            if len(rows) < _CHUNK:
                return
            after = rows[-1].pair_id


def _newest(query: str = "") -> sa.Select[Any]:
    statement = (
        sa.select(LABELS)
        .ext(distinct_on(LABELS.c.pair_id))
        .order_by(LABELS.c.pair_id, LABELS.c.labelled_at.desc(), LABELS.c.method_id)
    )
    return statement.where(LABELS.c.query == query) if query else statement


def _storable(value: Any) -> Any:
    """PostgreSQL keeps no NUL and no half of a surrogate pair; the record in the blob store does."""
    if isinstance(value, str):
        return value.replace("\0", "\ufffd").encode("utf-8", "replace").decode()
    if isinstance(value, dict):
        return {key: _storable(item) for key, item in value.items()}
    return [_storable(item) for item in value] if isinstance(value, list) else value


def _to_row(label: StoredLabel) -> dict[str, Any]:
    pair, effort = asdict(label.pair), label.effort
    del pair["imports"], pair["file_imports"]
    row = {
        **pair,
        "method_id": label.method_id,
        "label": label.label,
        "reason": label.reason,
        "decided_by": label.decided_by,
        "unclear": label.unclear,
        "self_reported": label.self_reported,
        "executed": label.executed,
        "assertions": label.assertions,
        "audit": label.audit,
        "record_digest": label.record_digest,
        "steps": [asdict(step) for step in label.steps],
        "tokens_in": effort.tokens_in,
        "tokens_out": effort.tokens_out,
        "seconds": effort.seconds,
        "cost_usd": effort.cost_usd,
        "calls": label.calls,
    }
    return {name: _storable(value) for name, value in row.items()}


def _from_row(row: Any) -> StoredLabel:
    return StoredLabel(
        pair=Pair(
            pair_id=row["pair_id"],
            query_id=row["query_id"],
            query=row["query"],
            function_id=row["function_id"],
            code=row["code"],
            language=row["language"],
            name=row["name"],
            repository=row["repository"],
            version=row["version"],
            path=row["path"],
            qualname=row["qualname"],
            on_demand=row["on_demand"],
        ),
        method_id=row["method_id"],
        label=row["label"],
        reason=row["reason"],
        decided_by=row["decided_by"],
        unclear=row["unclear"],
        self_reported=row["self_reported"],
        executed=row["executed"],
        assertions=row["assertions"],
        audit=row["audit"],
        record_digest=row["record_digest"],
        steps=tuple(StepSummary(**step) for step in row["steps"]),
        effort=Effort(row["tokens_in"], row["tokens_out"], row["cost_usd"], row["seconds"]),
        calls=row["calls"],
        labelled_at=row["labelled_at"],
    )
