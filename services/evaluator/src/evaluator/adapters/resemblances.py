"""Which mutants wrong answers resemble, in PostgreSQL."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import asdict
from typing import Any

import sqlalchemy as sa
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.ext.asyncio import AsyncSession

from evaluator.adapters.store import verdict_of_row
from evaluator.adapters.tables import ATTEMPTS, RESEMBLANCES, RETRACTIONS
from evaluator.domain.outcomes import Outcome
from evaluator.domain.resemblance import AnswerPlace, Resemblance, WrongAnswer
from touchstone_runtime.storable import storable_tree

# What a comparison holds for: another solution, or another judging, is compared anew.
_KEY = ("run_id", "task_id", "sample", "solution_id", "judging")
_SAME = sa.and_(*(RESEMBLANCES.c[name] == ATTEMPTS.c[name] for name in _KEY))
# Answers whose own task's suite named cases that they fail.
_WRONG = sa.and_(
    ATTEMPTS.c.outcome.not_in((Outcome.PASSED.value, Outcome.INFRASTRUCTURE.value)),
    sa.func.coalesce(ATTEMPTS.c.suite_digest, "") == "",
    sa.func.jsonb_array_length(ATTEMPTS.c.failures) > 0,
    ATTEMPTS.c.task_id.not_in(sa.select(RETRACTIONS.c.task_id)),
    ~sa.exists().where(_SAME),
)


class SqlResemblances:
    """Implements `ports.Resemblances`.

    Args:
        session: Opens a session in a transaction, as `Database.session` does.
    """

    def __init__(self, session: Callable[[], AbstractAsyncContextManager[AsyncSession]]) -> None:
        self._session = session

    async def waiting(self, most: int) -> list[str]:
        """Tasks with wrong answers that were not compared yet, by id, at most so many."""
        statement = sa.select(ATTEMPTS.c.task_id).where(_WRONG).distinct().order_by(ATTEMPTS.c.task_id).limit(most)
        async with self._session() as session:
            return list(await session.scalars(statement))

    async def uncompared(self, task_id: str) -> list[WrongAnswer]:
        """The wrong answers to a task that were not compared yet."""
        statement = sa.select(ATTEMPTS).where(_WRONG, ATTEMPTS.c.task_id == task_id)
        async with self._session() as session:
            rows = await session.execute(statement.order_by(ATTEMPTS.c.run_id, ATTEMPTS.c.sample))
            return [
                WrongAnswer((row.run_id, row.task_id, row.sample), row.solution_id, verdict_of_row(row)) for row in rows
            ]

    async def save(self, compared: Sequence[tuple[WrongAnswer, tuple[Resemblance, ...]]]) -> None:
        """Keep what answers resemble; an answer that is gone meanwhile is kept as well and found by nobody."""
        rows: list[dict[str, Any]] = [
            dict(zip(_KEY, (*answer.place, answer.solution_id, answer.verdict.judging), strict=True))
            | {"found": storable_tree([asdict(each) for each in found])}
            for answer, found in compared
        ]
        if rows:
            async with self._session() as session:
                await session.execute(insert(RESEMBLANCES).on_conflict_do_nothing(), rows)

    async def found(self, run_id: str = "", task_id: str = "") -> dict[AnswerPlace, tuple[Resemblance, ...]]:
        """What answers of a run, or to a task, resemble as they were judged last; those near nothing are left out."""
        columns = [RESEMBLANCES.c[name] for name in ("run_id", "task_id", "sample", "found")]
        statement = (
            sa.select(*columns).join(ATTEMPTS, _SAME).where(sa.func.jsonb_array_length(RESEMBLANCES.c.found) > 0)
        )
        if run_id:
            statement = statement.where(RESEMBLANCES.c.run_id == run_id)
        if task_id:
            statement = statement.where(RESEMBLANCES.c.task_id == task_id)
        async with self._session() as session:
            return {
                (row.run_id, row.task_id, row.sample): tuple(Resemblance(**each) for each in row.found)
                for row in await session.execute(statement)
            }
