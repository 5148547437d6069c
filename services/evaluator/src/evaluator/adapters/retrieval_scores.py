"""Scores of retrievers in PostgreSQL."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from dataclasses import asdict
from typing import Any

import sqlalchemy as sa
from sqlalchemy.dialects.postgresql import distinct_on, insert
from sqlalchemy.ext.asyncio import AsyncSession

from evaluator.adapters.tables import ANNOUNCED_LABELS, RETRIEVAL_SCORES
from evaluator.domain.clustered import Interval
from evaluator.domain.labelled import RetrievalScore

_ONLY = 1
# The method that measured condensed rankings alone.
_CONDENSED_ALONE = 1


class SqlRetrievalScores:
    """Implements `ports.RetrievalScores`.

    Args:
        session: Opens a session in a transaction, as `Database.session` does.
    """

    def __init__(self, session: Callable[[], AbstractAsyncContextManager[AsyncSession]]) -> None:
        self._session = session

    async def add(self, score: RetrievalScore) -> None:
        """Keep a score."""
        values = asdict(score)
        async with self._session() as session:
            await session.execute(insert(RETRIEVAL_SCORES).values(values).on_conflict_do_nothing())

    async def newest(self) -> list[RetrievalScore]:
        """The newest score of each retriever on each set."""
        columns = RETRIEVAL_SCORES.c
        each = (columns.labels, columns.retriever)
        statement = sa.select(RETRIEVAL_SCORES).ext(distinct_on(*each)).order_by(*each, columns.scored_at.desc())
        return await self._read(statement)

    async def every(self) -> list[RetrievalScore]:
        """Every score, oldest first."""
        columns = RETRIEVAL_SCORES.c
        return await self._read(
            sa.select(RETRIEVAL_SCORES).order_by(columns.scored_at, columns.labels, columns.retriever)
        )

    async def note_label(self) -> None:
        """Count a label that was announced."""
        first = insert(ANNOUNCED_LABELS).values(id=_ONLY, seen=1)
        again = {"seen": ANNOUNCED_LABELS.c.seen + 1}
        async with self._session() as session:
            await session.execute(first.on_conflict_do_update(index_elements=["id"], set_=again))

    async def seen(self) -> int:
        """How many labels were announced."""
        async with self._session() as session:
            return (await session.execute(sa.select(ANNOUNCED_LABELS.c.seen))).scalar_one_or_none() or 0

    async def _read(self, statement: Any) -> list[RetrievalScore]:
        async with self._session() as session:
            rows = (await session.execute(statement)).mappings().all()
        return [_score(dict(row)) for row in rows]


def _score(row: dict[str, Any]) -> RetrievalScore:
    if row["method"] == _CONDENSED_ALONE:
        row |= {"measures": {}, "condensed": row["measures"]}
    for kind in ("measures", "condensed"):
        row[kind] = {name: Interval(**mean) for name, mean in row[kind].items()}
    return RetrievalScore(**row)
