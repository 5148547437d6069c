"""The evaluator's memory in PostgreSQL."""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Sequence
from dataclasses import asdict, replace
from itertools import islice, pairwise
from typing import Any

import sqlalchemy as sa
from sqlalchemy.dialects.postgresql import ARRAY, insert

from evaluator.adapters.board_rows import CELL, FACTS, cell_of, facts_of
from evaluator.adapters.lives import (
    CANCELLED_ONE,
    OPEN,
    SqlLives,
    begin_life,
    changed,
    end_answered,
    expect,
    expect_of_paused,
    settle,
    take_turn,
)
from evaluator.adapters.tables import ATTEMPTS, FORGOTTEN, RETRACTIONS, RUNS, TASK_SETS, TASKS, VERDICTS
from evaluator.domain.outcomes import CANCELLED, Outcome, outcome_named
from evaluator.domain.results import Cell, Overview, RunResults, TaskFacts
from evaluator.domain.runs import Run
from evaluator.domain.specification import RunSpec, TaskSet, ids_text
from evaluator.domain.tasks import Attempt, Effort, Rejudged, Retraction, Solution, Task, Verdict, time_of
from evaluator.ports import Counts, Place
from touchstone_runtime.storable import storable, storable_tree

# Rows read at a time where many are: each portion is a way to the database and back.
_PORTION = 2000
# Answers of a run that are written in one piece.
_ROWS = 20_000
# Rows after which the event loop serves others, and rows that hold code.
_BREATH, _LARGE = 250, 50
_EFFORT = ("tokens_in", "tokens_out", "seconds", "cost_usd", "calls")
_TASK_COLUMNS = [column.label(f"of_task_{column.name}") for column in TASKS.c]


class SqlStore(SqlLives):
    """Implements `ports.Store`.

    Args:
        session: Opens a session in a transaction, as `Database.session` does.
        unpriced: Whether nobody named the price of a model, by its identity.
    """

    async def save_task(self, task: Task) -> None:
        """Keep a task; what is known of it already stays, and what nobody told of its words and its likes is filled."""
        kept = insert(TASKS).values(storable_tree(asdict(task)))
        names = ("wording", "likeness", "shapes")
        told = sa.or_(*(sa.and_(TASKS.c[name] == "", kept.excluded[name] != "") for name in names))
        fresh = {name: sa.func.coalesce(sa.func.nullif(TASKS.c[name], ""), kept.excluded[name]) for name in names}
        filled = kept.on_conflict_do_update(index_elements=[TASKS.c.task_id], set_=fresh, where=told)
        async with self._session() as session:
            await session.execute(filled)
            await expect_of_paused(session, task.task_id)

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

    async def functions_of(self, task_ids: Sequence[str]) -> dict[str, str]:
        """Id of the function that each of these tasks was made of."""
        async with self._session() as session:
            wanted = sa.select(TASKS.c.task_id, TASKS.c.function_id).where(_any_of(TASKS.c.task_id, task_ids))
            return {row.task_id: row.function_id for row in await session.execute(wanted)}

    async def standing_tasks(self) -> list[Task]:
        """Every task that is not retracted, oldest source first, then by id."""
        retracted = sa.select(RETRACTIONS.c.task_id)
        statement = sa.select(*_TASK_COLUMNS).where(TASKS.c.task_id.not_in(retracted)).order_by(*_ORDER)
        async with self._session() as session:
            return [_task(row) for row in await session.execute(statement)]

    async def save_run(self, run: Run, task_ids: Sequence[str]) -> None:
        """Keep a run, and an attempt for each of these tasks and each sample that it does not have yet."""
        gone = sa.select(sa.literal(1)).where(FORGOTTEN.c.run_id == run.run_id)
        digest = run.spec.tasks.digest
        whole = bool(task_ids) and hashlib.sha256(ids_text(task_ids)).hexdigest() == digest
        known = sa.select(TASKS.c.task_id).where(_any_of(TASKS.c.task_id, task_ids))
        async with self._session() as session:
            await take_turn(session, run.run_id)
            if await session.scalar(gone) is not None:
                return
            kept = insert(RUNS).values({**_run_row(run), "revision": 0}).on_conflict_do_nothing()
            fresh = await session.scalar(kept.returning(RUNS.c.run_id)) is not None
            if fresh and not await begin_life(session, run.run_id, paused=run.paused):
                return
            if whole:
                kept = {"digest": digest, "task_ids": sorted(set(task_ids))}
                await session.execute(insert(TASK_SETS).values(kept).on_conflict_do_nothing())
            found = (await session.scalars(known)).all() if task_ids else ()
            places = ((task_id, sample) for task_id in found for sample in range(run.spec.samples))
            grown: set[str] = set()
            while some := list(islice(places, _ROWS)):
                rows = [
                    {"run_id": run.run_id, "task_id": task_id, "sample": sample, "requested": False}
                    for task_id, sample in some
                ]
                grown |= await expect(session, rows)
                await settle(session, run.run_id, set(some))
            await changed(session, set() if fresh else grown)

    async def task_ids_of(self, digest: str) -> list[str] | None:
        """The ids of a set of tasks."""
        async with self._session() as session:
            found = await session.scalar(sa.select(TASK_SETS.c.task_ids).where(TASK_SETS.c.digest == digest))
        return None if found is None else [str(task_id) for task_id in found]

    async def find_run(self, run_id: str) -> Run | None:
        """A run without its attempts."""
        async with self._session() as session:
            row = (await session.execute(sa.select(RUNS).where(RUNS.c.run_id == run_id))).first()
        return None if row is None else _run(row)

    async def load_run(self, run_id: str) -> Run | None:
        """A run with its attempts."""
        statement = _ATTEMPTS.where(ATTEMPTS.c.run_id == run_id).order_by(*_ORDER, ATTEMPTS.c.sample)
        attempts: list[Attempt] = []
        async with self._session() as session:
            run = (await session.execute(sa.select(RUNS).where(RUNS.c.run_id == run_id))).first()
            if run is None:
                return None
            # With all code: between two portions the event loop serves others.
            rows = await session.stream(statement.execution_options(yield_per=_BREATH))
            async for portion in rows.partitions():
                for number, row in enumerate(portion):
                    if number % _LARGE == 0:
                        await asyncio.sleep(0)
                    attempts.append(_attempt(row))
        return _run(run, tuple(attempts))

    async def find_attempt(self, run_id: str, task_id: str, sample: int = 0) -> Attempt | None:
        """One answer to one task in one run."""
        async with self._session() as session:
            row = (await session.execute(_ATTEMPTS.where(_place(run_id, task_id, sample)))).first()
        return None if row is None else _attempt(row)

    async def places_of(self, run_id: str) -> list[Place]:
        """Task and sample of every answer of a run; it reads no answer."""
        columns = sa.select(ATTEMPTS.c.task_id, ATTEMPTS.c.sample).join(TASKS, TASKS.c.task_id == ATTEMPTS.c.task_id)
        statement = columns.where(ATTEMPTS.c.run_id == run_id).order_by(*_ORDER, ATTEMPTS.c.sample)
        async with self._session() as session:
            return [(row.task_id, row.sample) for row in await session.execute(statement)]

    async def attempts_at(self, run_id: str, places: Sequence[Place]) -> list[Attempt]:
        """These answers of a run."""
        there = sa.tuple_(ATTEMPTS.c.task_id, ATTEMPTS.c.sample).in_(places)
        statement = _ATTEMPTS.where(ATTEMPTS.c.run_id == run_id, there).order_by(*_ORDER, ATTEMPTS.c.sample)
        async with self._session() as session:
            found: list[Attempt] = []
            for number, row in enumerate(await session.execute(statement)):
                if number % _LARGE == 0:
                    await asyncio.sleep(0)
                found.append(_attempt(row))
            return found

    async def answers_to(self, task_id: str) -> list[tuple[Run, Attempt]]:
        """What every run made of a task."""
        statement = _ATTEMPTS.where(ATTEMPTS.c.task_id == task_id).order_by(ATTEMPTS.c.run_id, ATTEMPTS.c.sample)
        async with self._session() as session:
            runs = {row.run_id: _run(row) for row in await session.execute(sa.select(RUNS))}
            return [(runs[row.run_id], _attempt(row)) for row in await session.execute(statement)]

    async def reopen(self, run_id: str) -> None:
        """Forget the answers that ended as infrastructure; nobody has asked for them anew yet."""
        ended = sa.and_(ATTEMPTS.c.run_id == run_id, ATTEMPTS.c.outcome == Outcome.INFRASTRUCTURE.value)
        lost = sa.and_(VERDICTS.c.run_id == run_id, VERDICTS.c.outcome == Outcome.INFRASTRUCTURE.value)
        async with self._session() as session:
            # First, for it locks, as everywhere: the run before its answers.
            await session.execute(_changed(run_id).values(askings=RUNS.c.askings + 1))
            await session.execute(sa.delete(VERDICTS).where(lost))
            await session.execute(sa.update(ATTEMPTS).where(ended).values({**OPEN, "requested": False}))

    async def save_solution(self, run_id: str, task_id: str, solution: Solution, sample: int = 0) -> Solution:
        """Keep a solution unless there is one already; returns what is kept."""
        mine = _place(run_id, task_id, sample)
        statement = (
            sa.update(ATTEMPTS)
            .where(mine, ATTEMPTS.c.solution_id.is_(None))
            .values(
                solution_id=solution.solution_id,
                code=storable(solution.code),
                early_outcome=solution.outcome.value if solution.outcome else None,
                early_detail=storable(solution.detail),
                steps=storable_tree(list(solution.steps)),
                suite_digest=solution.suite_digest,
                reference_cpu_s=solution.reference_cpu_s,
                entry_point=solution.entry_point,
                **{name: getattr(solution.effort, name) for name in _EFFORT},
            )
        )
        known = _verdicts_on(run_id, task_id, solution.solution_id)
        async with self._session() as session:
            # First, for it locks: a verdict that comes meanwhile then sees the solution, or is seen.
            await session.execute(_changed(run_id))
            fresh = await session.scalar(statement.returning(ATTEMPTS.c.solution_id))
            if fresh is not None and (verdicts := (await session.execute(known)).all()):
                newest = verdict_row(verdict_of_row(verdicts[-1]))
                await session.execute(sa.update(ATTEMPTS).where(mine).values(newest))
            if fresh is not None:
                await end_answered(session, run_id, {(task_id, sample)})
            row = (await session.execute(_ATTEMPTS.where(mine))).first()
        # None where the run was removed meanwhile.
        return (_attempt(row).solution if row is not None else None) or solution

    async def save_verdict(self, run_id: str, task_id: str, solution_id: str, verdict: Verdict) -> bool:
        """Keep a verdict on this solution unless there is one of its number already."""
        mine = sa.and_(
            ATTEMPTS.c.run_id == run_id, ATTEMPTS.c.task_id == task_id, ATTEMPTS.c.solution_id == solution_id
        )
        place = {"run_id": run_id, "task_id": task_id, "solution_id": solution_id}
        values = verdict_row(verdict)
        newer = sa.and_(ATTEMPTS.c.judging < verdict.judging, ~CANCELLED_ONE)
        first = sa.or_(ATTEMPTS.c.outcome.is_(None), newer)
        gone = sa.select(sa.literal(1)).where(FORGOTTEN.c.run_id == run_id)
        async with self._session() as session:
            if await session.scalar(gone) is not None:
                return False
            await session.execute(_changed(run_id))
            await session.execute(insert(VERDICTS).values({**place, **values}).on_conflict_do_nothing())
            await session.execute(sa.update(ATTEMPTS).where(mine, first).values(values))
            return (await session.execute(sa.select(sa.literal(1)).where(mine))).first() is not None

    async def verdicts_on(self, run_id: str, task_id: str, solution_id: str) -> list[Verdict]:
        """Every verdict on a solution, oldest first."""
        async with self._session() as session:
            rows = await session.execute(_verdicts_on(run_id, task_id, solution_id))
            return [verdict_of_row(row) for row in rows]

    async def rejudged(self) -> list[Rejudged]:
        """Every judgement anew: a verdict and the one before it on the same answer."""
        same = sa.and_(*(VERDICTS.c[name] == ATTEMPTS.c[name] for name in ("run_id", "task_id", "solution_id")))
        statement = (
            sa.select(VERDICTS, ATTEMPTS.c.sample, TASKS.c.entry_point)
            .join(ATTEMPTS, sa.and_(same, ATTEMPTS.c.judging > 0))
            .join(TASKS, TASKS.c.task_id == ATTEMPTS.c.task_id)
            .order_by(VERDICTS.c.run_id, VERDICTS.c.task_id, ATTEMPTS.c.sample, VERDICTS.c.judging)
        )
        found: dict[tuple[str, str, str, int], list[Verdict]] = {}
        async with self._session() as session:
            for row in await session.execute(statement):
                place = (row.run_id, row.task_id, row.entry_point, row.sample)
                found.setdefault(place, []).append(verdict_of_row(row))
        return [Rejudged(*place, *each) for place, verdicts in found.items() for each in pairwise(verdicts)]

    async def set_halted(self, run_id: str, reason: str, place: Place | None = None) -> bool:
        """Note why a run stands still, empty when it goes on, for an answer while that waits; gives if it stops now."""
        noted = sa.update(RUNS).where(RUNS.c.run_id == run_id).values(halted=storable(reason))
        if place is not None:
            mine = (_place(run_id, *place), ATTEMPTS.c.solution_id.is_(None), ATTEMPTS.c.outcome.is_(None))
            stands = ATTEMPTS.c.task_id.not_in(sa.select(RETRACTIONS.c.task_id))
            asked = sa.or_(ATTEMPTS.c.requested, ~RUNS.c.paused)
            noted = noted.where(sa.exists().where(*mine, stands, asked))
        async with self._session() as session:
            # First, for it locks: whoever pauses or ends the run meanwhile has the last word.
            before = await session.scalar(sa.select(RUNS.c.halted).where(RUNS.c.run_id == run_id).with_for_update())
            is_noted = await session.scalar(noted.returning(RUNS.c.run_id)) is not None
        return is_noted and bool(reason) and not before

    async def unasked(self, run_id: str) -> set[Place]:
        """Answers without a verdict that nobody asked for, or that a pause took back."""
        statement = sa.select(ATTEMPTS.c.task_id, ATTEMPTS.c.sample).where(
            ATTEMPTS.c.run_id == run_id, ~ATTEMPTS.c.requested, ATTEMPTS.c.outcome.is_(None)
        )
        async with self._session() as session:
            return {(row.task_id, row.sample) for row in await session.execute(statement)}

    async def halted_runs(self) -> list[Run]:
        """Runs that stand still, without their attempts."""
        statement = sa.select(RUNS).where(RUNS.c.halted != "").order_by(RUNS.c.run_id)
        async with self._session() as session:
            return [_run(row) for row in await session.execute(statement)]

    async def unrequested(self) -> list[tuple[Run, str, int]]:
        """Run, task and sample of each request that was not confirmed to be published, for tasks that stand."""
        statement = (
            sa.select(RUNS, ATTEMPTS.c.task_id, ATTEMPTS.c.sample)
            .join(ATTEMPTS, ATTEMPTS.c.run_id == RUNS.c.run_id)
            .where(~ATTEMPTS.c.requested, ATTEMPTS.c.outcome.is_(None), ~RUNS.c.paused)
            .where(ATTEMPTS.c.task_id.not_in(sa.select(RETRACTIONS.c.task_id)))
            .order_by(RUNS.c.run_id, ATTEMPTS.c.task_id, ATTEMPTS.c.sample)
        )
        async with self._session() as session:
            return [(_run(row), row.task_id, row.sample) for row in await session.execute(statement)]

    async def mark_requested(self, run_id: str, places: Sequence[Place], *, by_name: bool = False) -> None:
        """Note that the requests are published; of a paused run nothing, but what is asked for by name."""
        by_sample: dict[int, list[str]] = {}
        for task_id, sample in places:
            by_sample.setdefault(sample, []).append(task_id)
        # Held against a pause that comes meanwhile, which writes the run first.
        paused = sa.select(RUNS.c.paused).where(RUNS.c.run_id == run_id).with_for_update(read=True)
        again = sa.update(RUNS).where(RUNS.c.run_id == run_id).values(askings=RUNS.c.askings + 1)
        async with self._session() as session:
            if by_name and places:
                await session.execute(again)
            if await session.scalar(paused) and not by_name:
                return
            # No pause that is known now holds what is asked for by name.
            known = {"asked_at": sa.select(RUNS.c.changed).where(RUNS.c.run_id == run_id).scalar_subquery()}
            for sample, task_ids in by_sample.items():
                some = _any_of(ATTEMPTS.c.task_id, task_ids)
                mine = (ATTEMPTS.c.run_id == run_id, ATTEMPTS.c.sample == sample, some)
                values = {"requested": True, **(known if by_name else {})}
                await session.execute(sa.update(ATTEMPTS).where(*mine).values(values))

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

    async def overview(self) -> Overview:
        """What there is, and what of it changed; it reads no answer."""
        tasks = sa.select(sa.func.count().label("all"), sa.func.count().filter(TASKS.c.wording != "").label("worded"))
        async with self._session() as session:
            runs = await session.execute(sa.select(RUNS).order_by(RUNS.c.run_id))
            retracted = await session.scalars(sa.select(RETRACTIONS.c.task_id))
            told = (await session.execute(tasks.select_from(TASKS))).one()
            return Overview([(_run(row), row.revision) for row in runs], frozenset(retracted), told.all, told.worded)

    async def results_of(self, run: Run) -> RunResults:
        """How the answers of a run ended."""
        statement = (
            sa.select(*(ATTEMPTS.c[name] for name in CELL), (ATTEMPTS.c.detail == CANCELLED).label("cancelled"))
            .where(ATTEMPTS.c.run_id == run.run_id)
            .order_by(ATTEMPTS.c.task_id, ATTEMPTS.c.sample)
            .execution_options(yield_per=_PORTION)
        )
        cells: dict[str, list[Cell]] = {}
        async with self._session() as session:
            # Row by row, each would be a task of the event loop.
            async for portion in (await session.stream(statement)).partitions():
                for number, row in enumerate(portion):
                    if number % _BREATH == 0:
                        await asyncio.sleep(0)
                    cells.setdefault(row.task_id, []).append(cell_of(row))
        given = {task_id: tuple(answers) for task_id, answers in cells.items()}
        return RunResults(run, given, unpriced=self._unpriced(run.spec.model))

    async def task_facts(self) -> list[TaskFacts]:
        """What a board knows of every task, by id."""
        columns = [TASKS.c[name] for name in FACTS]
        languages = sa.func.jsonb_path_query_array(TASKS.c.signatures, sa.text("'$.keyvalue().key'")).label("languages")
        statement = sa.select(*columns, languages).order_by(TASKS.c.task_id).execution_options(yield_per=_PORTION)
        async with self._session() as session:
            portions = (await session.stream(statement)).partitions(_BREATH)
            return [facts_of(row) async for portion in portions for row in portion]


# Not the order of arrival, which differs from machine to machine.
_ORDER = (TASKS.c.released_at, TASKS.c.task_id)
_ATTEMPTS = (
    sa.select(ATTEMPTS, *_TASK_COLUMNS, RETRACTIONS.c.reason.label("retracted"))
    .join(TASKS, TASKS.c.task_id == ATTEMPTS.c.task_id)
    .outerjoin(RETRACTIONS, RETRACTIONS.c.task_id == ATTEMPTS.c.task_id)
)


def _task(row: sa.Row[Any]) -> Task:
    return Task(**{column.name: getattr(row, f"of_task_{column.name}") for column in TASKS.c})


_NAMED = ("model", "endpoint", "strategy", "variant", "language", "prompts")


def _run_row(run: Run) -> dict[str, Any]:
    named = {name: getattr(run.spec, name) for name in _NAMED}
    rest = {name: value for name, value in asdict(run.spec).items() if name not in _NAMED}
    return {"run_id": run.run_id, **named, "spec": rest, "halted": run.halted, "withdrawn": "", "paused": False}


def _run(row: sa.Row[Any], attempts: tuple[Attempt, ...] = ()) -> Run:
    rest: dict[str, Any] = dict(row.spec)
    # A run of before specifications has none of this.
    tasks = TaskSet(**rest.pop("tasks", {}))
    bounds = tuple((str(name), int(value)) for name, value in rest.pop("bounds", ()))
    spec = RunSpec(tasks=tasks, bounds=bounds, **{name: getattr(row, name) for name in _NAMED}, **rest)
    return Run(row.run_id, spec, row.halted, row.withdrawn, row.paused, row.changed, row.askings, attempts)


def _any_of(column: sa.Column[str], ids: Sequence[str]) -> sa.ColumnElement[bool]:
    """One value, however many ids: a statement takes 32,767 values."""
    return column == sa.any_(sa.cast(list(ids), ARRAY(sa.Text)))


def _place(run_id: str, task_id: str, sample: int) -> sa.ColumnElement[bool]:
    return sa.and_(ATTEMPTS.c.run_id == run_id, ATTEMPTS.c.task_id == task_id, ATTEMPTS.c.sample == sample)


def _changed(run_id: str) -> sa.Update:
    return sa.update(RUNS).where(RUNS.c.run_id == run_id).values(revision=RUNS.c.revision + 1)


def _attempt(row: sa.Row[Any]) -> Attempt:
    solution = verdict = None
    if row.solution_id is not None:
        effort = Effort(**{name: getattr(row, name) for name in _EFFORT})
        solution = Solution(
            solution_id=row.solution_id,
            code=row.code,
            effort=replace(effort, seconds=time_of(effort.seconds, effort.tokens_in + effort.tokens_out)),
            outcome=outcome_named(row.early_outcome) if row.early_outcome else None,
            detail=row.early_detail,
            steps=tuple(row.steps),
            suite_digest=row.suite_digest or "",
            reference_cpu_s=row.reference_cpu_s or 0.0,
            entry_point=row.entry_point or "",
        )
    if row.outcome is not None:
        verdict = verdict_of_row(row)
    return Attempt(_task(row), solution, verdict, row.retracted or "", row.sample)


def _verdicts_on(run_id: str, task_id: str, solution_id: str) -> sa.Select[Any]:
    place = (VERDICTS.c.run_id == run_id, VERDICTS.c.task_id == task_id, VERDICTS.c.solution_id == solution_id)
    return sa.select(VERDICTS).where(*place).order_by(VERDICTS.c.judging)


def verdict_row(verdict: Verdict) -> dict[str, Any]:
    """The columns of a verdict, in attempts and in verdicts."""
    return {
        "outcome": verdict.outcome.value,
        "cases": verdict.cases,
        "passed": verdict.passed,
        "detail": storable(verdict.detail),
        "failures": storable_tree(verdict.failures),
        "wall_s": verdict.wall_s,
        "cpu_s": verdict.cpu_s,
        "memory_bytes": verdict.memory_bytes,
        "judging": verdict.judging,
        "judging_note": storable(verdict.note),
    }


def verdict_of_row(row: sa.Row[Any]) -> Verdict:
    """The verdict that a row of attempts or verdicts holds."""
    return Verdict(
        outcome=outcome_named(row.outcome),
        cases=row.cases,
        passed=row.passed,
        detail=row.detail,
        failures=tuple((int(index), str(outcome), str(words)) for index, outcome, words in row.failures),
        wall_s=row.wall_s,
        cpu_s=row.cpu_s,
        memory_bytes=row.memory_bytes,
        judging=row.judging,
        note=row.judging_note,
    )
