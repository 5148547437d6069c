"""The evaluator's memory in PostgreSQL."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import asdict
from typing import Any

import sqlalchemy as sa
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.ext.asyncio import AsyncSession

from evaluator.adapters.tables import ATTEMPTS, RETRACTIONS, RUNS, TASKS
from evaluator.domain.outcomes import Outcome
from evaluator.domain.tasks import Attempt, Effort, Retraction, Run, Solution, Task, Verdict
from evaluator.domain.text import storable, storable_tree
from evaluator.ports import Counts

_EFFORT = ("tokens_in", "tokens_out", "seconds", "cost_usd", "calls")
_TASK_COLUMNS = [column.label(f"of_task_{column.name}") for column in TASKS.c]


class SqlStore:
    """Implements `ports.Store`.

    Args:
        session: Opens a session in a transaction, as `Database.session` does.
    """

    def __init__(self, session: Callable[[], AbstractAsyncContextManager[AsyncSession]]) -> None:
        self._session = session

    async def save_task(self, task: Task) -> None:
        """Keep a task; what is known of it already stays."""
        async with self._session() as session:
            await session.execute(insert(TASKS).values(storable_tree(asdict(task))).on_conflict_do_nothing())

    async def retract_task(self, task_id: str, reason: str) -> None:
        """Note that a task is taken back; the first reason stays."""
        values = {"task_id": task_id, "reason": storable(reason)}
        async with self._session() as session:
            await session.execute(insert(RETRACTIONS).values(values).on_conflict_do_nothing())

    async def retractions(self) -> list[Retraction]:
        """Every task that was taken back, by id."""
        statement = (
            sa.select(RETRACTIONS.c.task_id, RETRACTIONS.c.reason, TASKS.c.entry_point, TASKS.c.source, TASKS.c.version)
            .outerjoin(TASKS, TASKS.c.task_id == RETRACTIONS.c.task_id)
            .order_by(RETRACTIONS.c.task_id)
        )
        async with self._session() as session:
            return [
                Retraction(
                    row.task_id, row.reason, row.entry_point or "", f"{row.source or ''} {row.version or ''}".strip()
                )
                for row in await session.execute(statement)
            ]

    async def find_task(self, task_id: str) -> Task | None:
        """One task, retracted or not."""
        async with self._session() as session:
            row = (await session.execute(sa.select(*_TASK_COLUMNS).where(TASKS.c.task_id == task_id))).first()
        return None if row is None else _task(row)

    async def standing_tasks(self) -> list[Task]:
        """Every task that is not retracted, oldest source first, then by id."""
        retracted = sa.select(RETRACTIONS.c.task_id)
        statement = sa.select(*_TASK_COLUMNS).where(TASKS.c.task_id.not_in(retracted)).order_by(*_ORDER)
        async with self._session() as session:
            return [_task(row) for row in await session.execute(statement)]

    async def save_run(self, run: Run, task_ids: Sequence[str]) -> None:
        """Keep a run, and add the tasks that it does not have yet."""
        values = {column.name: getattr(run, column.name) for column in RUNS.c}
        rows = [{"run_id": run.run_id, "task_id": task_id, "requested": False} for task_id in task_ids]
        async with self._session() as session:
            await session.execute(insert(RUNS).values(values).on_conflict_do_nothing())
            if rows:
                await session.execute(insert(ATTEMPTS).on_conflict_do_nothing(), rows)

    async def find_run(self, run_id: str) -> Run | None:
        """A run without its attempts."""
        async with self._session() as session:
            row = (await session.execute(sa.select(RUNS).where(RUNS.c.run_id == run_id))).first()
        return None if row is None else _run(row)

    async def load_run(self, run_id: str) -> Run | None:
        """A run with its attempts."""
        found = await self._load(RUNS.c.run_id == run_id)
        return found[0] if found else None

    async def runs(self) -> list[Run]:
        """Every run with its attempts."""
        return await self._load(sa.true())

    async def find_attempt(self, run_id: str, task_id: str) -> Attempt | None:
        """One task of one run."""
        statement = _ATTEMPTS.where(ATTEMPTS.c.run_id == run_id, ATTEMPTS.c.task_id == task_id)
        async with self._session() as session:
            row = (await session.execute(statement)).first()
        return None if row is None else _attempt(row)

    async def save_solution(self, run_id: str, task_id: str, solution: Solution) -> Solution:
        """Keep a solution unless there is one already; returns what is kept."""
        statement = (
            sa.update(ATTEMPTS)
            .where(ATTEMPTS.c.run_id == run_id, ATTEMPTS.c.task_id == task_id, ATTEMPTS.c.solution_id.is_(None))
            .values(
                solution_id=solution.solution_id,
                code=storable(solution.code),
                early_outcome=solution.outcome.value if solution.outcome else None,
                early_detail=storable(solution.detail),
                steps=storable_tree(list(solution.steps)),
                **{name: getattr(solution.effort, name) for name in _EFFORT},
            )
        )
        async with self._session() as session:
            await session.execute(statement)
            row = (
                await session.execute(_ATTEMPTS.where(ATTEMPTS.c.run_id == run_id, ATTEMPTS.c.task_id == task_id))
            ).one()
        return _attempt(row).solution or solution

    async def save_verdict(self, run_id: str, task_id: str, solution_id: str, verdict: Verdict) -> bool:
        """Keep a verdict on this solution unless there is one already."""
        mine = sa.and_(
            ATTEMPTS.c.run_id == run_id, ATTEMPTS.c.task_id == task_id, ATTEMPTS.c.solution_id == solution_id
        )
        values = {
            "outcome": verdict.outcome.value,
            "cases": verdict.cases,
            "passed": verdict.passed,
            "detail": storable(verdict.detail),
            "failures": storable_tree(verdict.failures),
            "wall_s": verdict.wall_s,
            "cpu_s": verdict.cpu_s,
            "memory_bytes": verdict.memory_bytes,
        }
        async with self._session() as session:
            await session.execute(sa.update(ATTEMPTS).where(mine, ATTEMPTS.c.outcome.is_(None)).values(values))
            return (await session.execute(sa.select(sa.literal(1)).where(mine))).first() is not None

    async def set_halted(self, run_id: str, reason: str) -> None:
        """Note why a run stands still; empty when it goes on."""
        async with self._session() as session:
            await session.execute(sa.update(RUNS).where(RUNS.c.run_id == run_id).values(halted=storable(reason)))

    async def halted_runs(self) -> list[Run]:
        """Runs that stand still, without their attempts."""
        statement = sa.select(RUNS).where(RUNS.c.halted != "").order_by(RUNS.c.run_id)
        async with self._session() as session:
            return [_run(row) for row in await session.execute(statement)]

    async def unrequested(self) -> list[tuple[Run, str]]:
        """Tasks of runs for which no request was confirmed to be published."""
        statement = (
            sa.select(RUNS, ATTEMPTS.c.task_id)
            .join(ATTEMPTS, ATTEMPTS.c.run_id == RUNS.c.run_id)
            .where(~ATTEMPTS.c.requested, ATTEMPTS.c.outcome.is_(None))
            .order_by(RUNS.c.run_id, ATTEMPTS.c.task_id)
        )
        async with self._session() as session:
            return [(_run(row), row.task_id) for row in await session.execute(statement)]

    async def mark_requested(self, run_id: str, task_ids: Sequence[str]) -> None:
        """Note that the requests are published."""
        statement = sa.update(ATTEMPTS).where(ATTEMPTS.c.run_id == run_id, ATTEMPTS.c.task_id.in_(task_ids))
        async with self._session() as session:
            await session.execute(statement.values(requested=True))

    async def counts(self) -> Counts:
        """How much there is of what."""
        attempts = (
            sa.select(
                sa.func.count().label("attempts"),
                sa.func.count(ATTEMPTS.c.solution_id).label("generated"),
                sa.func.count(ATTEMPTS.c.outcome).label("judged"),
            )
            .select_from(ATTEMPTS)
            .where(ATTEMPTS.c.task_id.not_in(sa.select(RETRACTIONS.c.task_id)))
        )
        async with self._session() as session:
            row = (await session.execute(attempts)).one()
            tasks, retracted, runs = [
                int(await session.scalar(sa.select(sa.func.count()).select_from(table)) or 0)
                for table in (TASKS, RETRACTIONS, RUNS)
            ]
        return Counts(tasks, retracted, runs, row.attempts, row.generated, row.judged)

    async def _load(self, which: sa.ColumnElement[bool]) -> list[Run]:
        chosen = sa.select(RUNS.c.run_id).where(which)
        async with self._session() as session:
            runs = (await session.execute(sa.select(RUNS).where(which).order_by(RUNS.c.run_id))).all()
            rows = (await session.execute(_ATTEMPTS.where(ATTEMPTS.c.run_id.in_(chosen)).order_by(*_ORDER))).all()
        attempts: dict[str, list[Attempt]] = {}
        for row in rows:
            attempts.setdefault(row.run_id, []).append(_attempt(row))
        return [_run(row, tuple(attempts.get(row.run_id, ()))) for row in runs]


# Not the order of arrival, which differs from machine to machine.
_ORDER = (TASKS.c.released_at, TASKS.c.task_id)
_ATTEMPTS = (
    sa.select(ATTEMPTS, *_TASK_COLUMNS, RETRACTIONS.c.reason.label("retracted"))
    .join(TASKS, TASKS.c.task_id == ATTEMPTS.c.task_id)
    .outerjoin(RETRACTIONS, RETRACTIONS.c.task_id == ATTEMPTS.c.task_id)
)


def _task(row: sa.Row[Any]) -> Task:
    return Task(**{column.name: getattr(row, f"of_task_{column.name}") for column in TASKS.c})


def _run(row: sa.Row[Any], attempts: tuple[Attempt, ...] = ()) -> Run:
    return Run(**{column.name: getattr(row, column.name) for column in RUNS.c}, attempts=attempts)


def _attempt(row: sa.Row[Any]) -> Attempt:
    solution = verdict = None
    if row.solution_id is not None:
        solution = Solution(
            solution_id=row.solution_id,
            code=row.code,
            effort=Effort(**{name: getattr(row, name) for name in _EFFORT}),
            outcome=Outcome(row.early_outcome) if row.early_outcome else None,
            detail=row.early_detail,
            steps=tuple(row.steps),
        )
    if row.outcome is not None:
        verdict = Verdict(
            outcome=Outcome(row.outcome),
            cases=row.cases,
            passed=row.passed,
            detail=row.detail,
            failures=tuple((int(index), str(outcome), str(words)) for index, outcome, words in row.failures),
            wall_s=row.wall_s,
            cpu_s=row.cpu_s,
            memory_bytes=row.memory_bytes,
        )
    return Attempt(_task(row), solution, verdict, row.retracted or "")
