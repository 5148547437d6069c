"""What becomes of runs beside their answers, in PostgreSQL."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from itertools import islice
from typing import Any

import sqlalchemy as sa
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.ext.asyncio import AsyncSession

from evaluator.adapters.tables import (
    ATTEMPTS,
    FORGOTTEN,
    RESEMBLANCES,
    RETRACTIONS,
    RUN_CHANGES,
    RUNS,
    TASK_SETS,
    TASKS,
    VERDICTS,
)
from evaluator.domain.lives import Change, Life, RunChange, Touched, life_of, numbered
from evaluator.domain.outcomes import CANCELLED, Outcome
from evaluator.domain.tasks import solution_id
from evaluator.ports import Place
from touchstone_runtime.storable import storable

# A statement takes 32,767 values; a place is two.
_PLACES_AT_A_TIME = 5000
# Advisory locks of the runs; any number that nobody else takes.
_TURNS = 16
# What an attempt has that nobody answered.
OPEN: dict[str, Any] = {
    **{column.name: None for column in ATTEMPTS.c if column.nullable},
    "judging": 0,
    "judging_note": "",
}
# An answer that a person ended.
CANCELLED_ONE = sa.and_(
    ATTEMPTS.c.outcome.is_not_distinct_from(Outcome.INFRASTRUCTURE.value), ATTEMPTS.c.detail == CANCELLED
)
_ENDED: dict[str, Any] = {
    "outcome": Outcome.INFRASTRUCTURE.value,
    "cases": sa.select(TASKS.c.cases).where(TASKS.c.task_id == ATTEMPTS.c.task_id).scalar_subquery(),
    "passed": 0,
    "detail": CANCELLED,
    "failures": [],
    "wall_s": 0.0,
    "cpu_s": 0.0,
    "memory_bytes": 0,
    "judging": 0,
    "judging_note": "",
}
_UNANSWERED: dict[str, Any] = {
    "code": "",
    "early_outcome": Outcome.INFRASTRUCTURE.value,
    "early_detail": CANCELLED,
    "steps": [],
    "tokens_in": 0,
    "tokens_out": 0,
    "seconds": 0.0,
    "cost_usd": 0.0,
    "calls": 0,
    "suite_digest": "",
    "reference_cpu_s": 0.0,
    "entry_point": "",
}


class SqlLives:
    """Implements `ports.lives.Lives`.

    Args:
        session: Opens a session in a transaction, as `Database.session` does.
        unpriced: Whether nobody named the price of a model, by its identity.
    """

    def __init__(
        self,
        session: Callable[[], AbstractAsyncContextManager[AsyncSession]],
        unpriced: Callable[[str], bool] = lambda _: False,
    ) -> None:
        self._session = session
        self._unpriced = unpriced

    async def set_withdrawn(self, run_id: str, reason: str) -> None:
        """Take a run off the board; with an empty reason put it back."""
        reason = storable(reason)
        async with self._session() as session:
            row = await _locked(session, run_id)
            if row is not None and row.withdrawn != reason:
                await _note(session, row, Change.WITHDRAWN if reason else Change.RESTORED, reason)
            values = {"withdrawn": reason, "revision": RUNS.c.revision + 1}
            await session.execute(sa.update(RUNS).where(RUNS.c.run_id == run_id).values(values))

    async def set_paused(self, run_id: str, *, paused: bool) -> None:
        """Pause a run, or let it go on."""
        open_ones = (ATTEMPTS.c.run_id == run_id, ATTEMPTS.c.solution_id.is_(None))
        places = sa.select(ATTEMPTS.c.task_id, ATTEMPTS.c.sample, ATTEMPTS.c.requested).where(*open_ones)
        async with self._session() as session:
            if (row := await _locked(session, run_id)) is None:
                return
            if paused:
                waiting = (await session.execute(places.order_by(ATTEMPTS.c.task_id, ATTEMPTS.c.sample))).all()
                if not row.paused or any(each.requested for each in waiting):
                    # Those that are being asked for as well: whoever asks confirms it after the pause.
                    held = [Touched(each.task_id, each.sample) for each in waiting]
                    await _note(session, row, Change.PAUSED, answers=held)
                    await session.execute(sa.update(ATTEMPTS).where(*open_ones).values(requested=False))
            # A release that knew of no changes may have let it go on without a word.
            elif row.paused or (life := await _life(session, run_id)).ended or life.paused:
                await _note(session, row, Change.RESUMED)
                await settle(session, run_id)
            await session.execute(sa.update(RUNS).where(RUNS.c.run_id == run_id).values(paused=paused))

    async def end_answers(self, run_id: str) -> int:
        """End every answer of a run that has no verdict and whose task stands."""
        unjudged = (
            sa.select(ATTEMPTS.c.task_id, ATTEMPTS.c.sample, ATTEMPTS.c.solution_id.is_not(None).label("answered"))
            .where(ATTEMPTS.c.run_id == run_id, ATTEMPTS.c.outcome.is_(None))
            .where(ATTEMPTS.c.task_id.not_in(sa.select(RETRACTIONS.c.task_id)))
            .order_by(ATTEMPTS.c.task_id, ATTEMPTS.c.sample)
        )
        async with self._session() as session:
            if (row := await _locked(session, run_id)) is None:
                return 0
            ended = [Touched(each.task_id, each.sample, each.answered) for each in await session.execute(unjudged)]
            if ended or row.paused:
                await _note(session, row, Change.CANCELLED, answers=ended)
                await settle(session, run_id, {place[:2] for place in ended})
            values = {"paused": False, "halted": "", "revision": RUNS.c.revision + 1}
            await session.execute(sa.update(RUNS).where(RUNS.c.run_id == run_id).values(values))
        return len(ended)

    async def forget_run(self, run_id: str) -> None:
        """Remove a run with its attempts for good."""
        async with self._session() as session:
            if (row := await _locked(session, run_id)) is not None:
                await session.execute(sa.delete(RUN_CHANGES).where(RUN_CHANGES.c.run_id == run_id))
                await _note(session, row, Change.DELETED)
                await _remove(session, run_id)

    async def is_forgotten(self, run_id: str) -> bool:
        """Whether a run was removed."""
        async with self._session() as session:
            return await session.scalar(sa.select(sa.literal(1)).where(FORGOTTEN.c.run_id == run_id)) is not None

    async def learn_change(self, change: RunChange) -> None:
        """Keep a change that somebody told of, and let hold what holds now."""
        run_id = change.run_id
        async with self._session() as session:
            await _locked(session, run_id)
            kept = insert(RUN_CHANGES).values(_row(change, published=True)).on_conflict_do_nothing()
            if await session.scalar(kept.returning(RUN_CHANGES.c.run_id)) is None:
                return
            life = await _life(session, run_id)
            if life.deleted:
                await _remove(session, run_id)
                return
            await _hold(session, run_id, life)
            await settle(session, run_id)

    async def note_asked(self, run_id: str, place: Place, after_change: int) -> None:
        """Note that an answer is asked for by somebody who knew the run's changes up to this number."""
        task_id, sample = place
        mine = (ATTEMPTS.c.run_id == run_id, ATTEMPTS.c.task_id == task_id, ATTEMPTS.c.sample == sample)
        async with self._session() as session:
            # Held against a pause that comes meanwhile, which writes the run first.
            paused = sa.select(RUNS.c.paused).where(RUNS.c.run_id == run_id).with_for_update(read=True)
            waits = bool(await session.scalar(paused)) and (await _life(session, run_id)).waits(place, after_change)
            values: dict[str, Any] = {"asked_at": sa.func.greatest(ATTEMPTS.c.asked_at, after_change)}
            values |= {} if waits else {"requested": True}
            told = sa.or_(ATTEMPTS.c.asked_at < after_change, sa.false() if waits else ~ATTEMPTS.c.requested)
            await session.execute(sa.update(ATTEMPTS).where(*mine, told).values(values))

    async def unpublished_changes(self, run_id: str = "") -> list[RunChange]:
        """Changes that were not confirmed to be told, in the order of their numbers."""
        statement = sa.select(RUN_CHANGES).where(~RUN_CHANGES.c.published)
        if run_id:
            statement = statement.where(RUN_CHANGES.c.run_id == run_id)
        async with self._session() as session:
            rows = await session.execute(statement.order_by(RUN_CHANGES.c.run_id, RUN_CHANGES.c.number))
            return [_change(row) for row in rows]

    async def mark_published(self, changes: Sequence[RunChange]) -> None:
        """Note that these changes are told."""
        async with self._session() as session:
            for each in changes:
                mine = (RUN_CHANGES.c.run_id == each.run_id, RUN_CHANGES.c.number == each.number)
                await session.execute(
                    sa.update(RUN_CHANGES).where(*mine, RUN_CHANGES.c.change == each.change).values(published=True)
                )


async def take_turn(session: AsyncSession, run_id: str) -> None:
    """Wait until nobody else begins or changes this run: one that is not kept yet has no row to lock."""
    turn = sa.func.pg_advisory_xact_lock(sa.func.hashtextextended(run_id, _TURNS))
    await session.execute(sa.select(turn))


async def begin_life(session: AsyncSession, run_id: str, *, paused: bool) -> bool:
    """Let hold for a run that is kept for the first time what is known of its life, or note that it begins paused.

    Returns:
        Whether there is such a run; not where it was removed meanwhile.
    """
    life = await _life(session, run_id)
    if life.deleted:
        await _remove(session, run_id)
        return False
    if life.changed:
        await _hold(session, run_id, life)
    elif paused and (row := await _locked(session, run_id)) is not None:
        await _note(session, row, Change.PAUSED)
        await session.execute(sa.update(RUNS).where(RUNS.c.run_id == run_id).values(paused=True))
    return True


async def expect_of_paused(session: AsyncSession, task_id: str) -> None:
    """Let paused runs that have this task expect answers to it; of those that go on, requests tell."""
    mine = sa.select(RUNS.c.run_id, RUNS.c.spec).join(
        TASK_SETS, TASK_SETS.c.digest == RUNS.c.spec["tasks"]["digest"].astext
    )
    mine = mine.where(RUNS.c.paused, TASK_SETS.c.task_ids.contains([task_id]))
    rows = [
        {"run_id": row.run_id, "task_id": task_id, "sample": sample, "requested": False}
        for row in await session.execute(mine)
        for sample in range(row.spec.get("samples", 1))
    ]
    if rows:
        await changed(session, await expect(session, rows))


async def expect(session: AsyncSession, rows: Sequence[Mapping[str, Any]]) -> set[str]:
    """Keep attempts of runs that are not kept yet.

    Returns:
        The runs that have more of them now.
    """
    added = insert(ATTEMPTS).on_conflict_do_nothing().returning(ATTEMPTS.c.run_id)
    return set(await session.scalars(added, rows))


async def changed(session: AsyncSession, run_ids: Collection[str]) -> None:
    """Note that attempts of these runs changed: what is kept of them elsewhere is read again."""
    if run_ids:
        more = sa.update(RUNS).where(RUNS.c.run_id.in_(sorted(run_ids)))
        await session.execute(more.values(revision=RUNS.c.revision + 1))


async def settle(session: AsyncSession, run_id: str, only: Collection[Place] | None = None) -> None:
    """Let answers of a run be as its changes say: some wait, some are ended, some are open again.

    Args:
        session: In a transaction.
        run_id: The run.
        only: Of these answers; None is all.
    """
    row = (await session.execute(sa.select(RUNS.c.changed, RUNS.c.paused).where(RUNS.c.run_id == run_id))).first()
    if row is None or not row.changed:
        return
    life = await _life(session, run_id)
    mine = ATTEMPTS.c.run_id == run_id
    held: dict[int, list[Place]] = {}
    # A release that knew of no changes may have let it go on, and what it answered counts.
    for place, number in (life.waiting if row.paused else {}).items():
        if only is None or place in only:
            held.setdefault(number, []).append(place)
    for number, places in held.items():
        for some in _portions(places):
            earlier = (mine, _PLACE.in_(some), ATTEMPTS.c.asked_at < number)
            await session.execute(sa.update(ATTEMPTS).where(*earlier).values({**OPEN, "requested": False}))
    if row.paused and life.paused and only is None:
        never = (mine, ATTEMPTS.c.asked_at < 0, ATTEMPTS.c.solution_id.is_(None))
        await session.execute(sa.update(ATTEMPTS).where(*never).values(requested=False))
    ended = [place for place, answered in life.ended.items() if not answered and (only is None or place in only)]
    if ended:
        none = sa.bindparam("none")
        place = (mine, ATTEMPTS.c.task_id == sa.bindparam("of_task"), ATTEMPTS.c.sample == sa.bindparam("of_sample"))
        rows = [
            {"of_task": task_id, "of_sample": sample, "none": _no_answer(run_id, task_id, sample)}
            for task_id, sample in ended
        ]
        values = {**_UNANSWERED, **_ENDED, "solution_id": none}
        await session.execute(sa.update(ATTEMPTS).where(*place).values(values), rows)
    await end_answered(session, run_id, only, life)
    if only is None:
        rows = await session.execute(sa.select(ATTEMPTS.c.task_id, ATTEMPTS.c.sample).where(mine, CANCELLED_ONE))
        again = [place for row in rows if (place := (row.task_id, row.sample)) not in life.ended]
        for some in _portions(again):
            opened = sa.update(ATTEMPTS).where(mine, _PLACE.in_(some))
            await session.execute(opened.values({**OPEN, "requested": False}))


async def end_answered(
    session: AsyncSession, run_id: str, only: Collection[Place] | None = None, life: Life | None = None
) -> None:
    """End answers that a cancellation found answered: they keep what they took, and no verdict counts for them."""
    if life is None:
        if not await session.scalar(sa.select(RUNS.c.changed).where(RUNS.c.run_id == run_id)):
            return
        life = await _life(session, run_id)
    ended = [place for place, answered in life.ended.items() if answered and (only is None or place in only)]
    for some in _portions(ended):
        there = (ATTEMPTS.c.run_id == run_id, _PLACE.in_(some), ATTEMPTS.c.solution_id.is_not(None))
        await session.execute(sa.update(ATTEMPTS).where(*there).values(_ENDED))


_PLACE = sa.tuple_(ATTEMPTS.c.task_id, ATTEMPTS.c.sample)


def _portions(places: Iterable[Place]) -> Iterable[list[Place]]:
    rest = iter(places)
    while some := list(islice(rest, _PLACES_AT_A_TIME)):
        yield some


def _no_answer(run_id: str, task_id: str, sample: int) -> str:
    return solution_id(run_id, task_id, "", Outcome.INFRASTRUCTURE, sample)


async def _locked(session: AsyncSession, run_id: str) -> sa.Row[Any] | None:
    """A run's row, held until the transaction ends: changes are numbered one after another."""
    await take_turn(session, run_id)
    return (await session.execute(sa.select(RUNS).where(RUNS.c.run_id == run_id).with_for_update())).first()


async def _note(
    session: AsyncSession, run: sa.Row[Any], change: Change, reason: str = "", answers: Sequence[Touched] = ()
) -> None:
    noted = numbered(run.run_id, run.changed + 1, change, reason, answers)
    await session.execute(insert(RUN_CHANGES), [_row(each, published=False) for each in noted])
    await session.execute(sa.update(RUNS).where(RUNS.c.run_id == run.run_id).values(changed=noted[-1].number))


async def _hold(session: AsyncSession, run_id: str, life: Life) -> None:
    values = {"withdrawn": life.withdrawn, "paused": life.paused, "changed": life.changed}
    changed = {**values, "revision": RUNS.c.revision + 1}
    await session.execute(sa.update(RUNS).where(RUNS.c.run_id == run_id).values(changed))


async def _remove(session: AsyncSession, run_id: str) -> None:
    for table in (ATTEMPTS, VERDICTS, RESEMBLANCES, RUNS):
        await session.execute(sa.delete(table).where(table.c.run_id == run_id))
    await session.execute(insert(FORGOTTEN).values(run_id=run_id).on_conflict_do_nothing())


async def _life(session: AsyncSession, run_id: str) -> Life:
    mine = RUN_CHANGES.c.run_id == run_id
    resumed = sa.select(sa.func.max(RUN_CHANGES.c.number)).where(mine, RUN_CHANGES.c.change == Change.RESUMED)
    # What was held or ended before a run went on holds no more, and may be many thousand answers.
    holds = RUN_CHANGES.c.number >= sa.func.coalesce(resumed.scalar_subquery(), 0)
    answers = sa.case((holds, RUN_CHANGES.c.answers), else_=sa.literal([], RUN_CHANGES.c.answers.type))
    wanted: list[sa.ColumnElement[Any]] = [column for column in RUN_CHANGES.c if column.name != "answers"]
    rows = await session.execute(sa.select(*wanted, answers.label("answers")).where(mine))
    return life_of(_change(row) for row in rows)


def _row(change: RunChange, *, published: bool) -> dict[str, Any]:
    answers = [list(each) for each in change.answers]
    told = {"run_id": change.run_id, "number": change.number, "change": change.change, "answers": answers}
    return {**told, "reason": storable(change.reason), "published": published}


def _change(row: sa.Row[Any]) -> RunChange:
    answers = tuple(Touched(str(task_id), int(sample), bool(answered)) for task_id, sample, answered in row.answers)
    return RunChange(row.run_id, row.number, row.change, row.reason, answers)
