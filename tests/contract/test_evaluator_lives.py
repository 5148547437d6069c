"""What becomes of runs, in a real database: two who write at once, and releases that know of no changes."""

from __future__ import annotations

import asyncio

import pytest
import sqlalchemy as sa

from evaluator.adapters.store import SqlStore
from evaluator.app import MIGRATIONS
from evaluator.domain.lives import RunChange
from evaluator.domain.outcomes import Outcome
from evaluator.domain.specification import task_set
from evaluator.domain.tasks import Effort, Solution, Verdict
from evaluator.usecases.boards import Boards
from touchstone_runtime.database import Database

SOLUTION = Solution("s1", "code", Effort(1, 2, 0.5, 0.25, 1))
VERDICT = Verdict(Outcome.WRONG_OUTPUT, 50, 49, "expected 1")


@pytest.fixture(scope="module")
def fakes(load_module):
    return load_module("services/evaluator/tests/conftest.py")


@pytest.fixture
def tasks(fakes):
    return [fakes.make_task(number) for number in (1, 2, 3)]


@pytest.fixture
def run(fakes):
    return fakes.make_run(variant="no-search", prompts="p:1")


@pytest.fixture
async def database(postgres):
    made = Database(postgres, "evaluator", MIGRATIONS)
    try:
        await made.migrate()
        async with made.session() as session:
            await session.execute(sa.text("TRUNCATE attempts, verdicts, runs, run_changes, forgotten_runs, tasks"))
        yield made
    finally:
        await made.close()


@pytest.mark.real
@pytest.mark.parametrize("kind", ["withdrawn", "paused", "deleted"])
async def test_a_change_that_comes_while_its_run_is_first_kept_is_not_lost(kind, database, fakes, run):
    """In a replay both topics are read at once, and a run that is not kept yet has no row to wait at."""
    store = SqlStore(database.session)
    many = [fakes.make_task(number) for number in range(1, 1500)]
    for start in range(0, len(many), 500):
        await asyncio.gather(*(store.save_task(task) for task in many[start : start + 500]))
    keeping = asyncio.create_task(store.save_run(run, [task.task_id for task in many]))
    for _ in range(1000):
        async with database.session() as session:
            waiting = await session.scalar(sa.text("SELECT count(*) FROM pg_locks WHERE locktype = 'advisory'"))
        if waiting or keeping.done():
            break
    await store.learn_change(RunChange(run.run_id, 1, kind, "asked wrongly" if kind == "withdrawn" else ""))
    await keeping
    known = await store.find_run(run.run_id)
    held = known is None if kind == "deleted" else known.withdrawn == "asked wrongly" or known.paused
    assert held
    await store.save_run(run, [many[0].task_id])
    assert (await store.find_run(run.run_id) is None) == (kind == "deleted")


@pytest.mark.real
async def test_what_an_earlier_release_let_go_on_and_judged_is_not_opened_again(database, fakes, tasks, run):
    """It knows of no changes: it lets a paused run go on without noting that."""
    store = SqlStore(database.session)
    for task in tasks:
        await store.save_task(task)
    ids = [task.task_id for task in tasks]
    await store.save_run(run, ids)
    await store.set_paused(run.run_id, paused=True)
    async with database.session() as session:
        await session.execute(sa.text("UPDATE runs SET paused = false"))
    await store.save_solution(run.run_id, ids[0], SOLUTION)
    await store.save_verdict(run.run_id, ids[0], SOLUTION.solution_id, VERDICT)
    await store.save_run(run, ids)
    assert (await store.find_attempt(run.run_id, ids[0])).verdict == VERDICT
    await store.set_paused(run.run_id, paused=False)
    assert [change.change for change in await store.unpublished_changes(run.run_id)] == ["paused", "resumed"]
    assert (await store.find_attempt(run.run_id, ids[0])).verdict == VERDICT


@pytest.mark.real
async def test_a_run_may_have_more_tasks_than_a_statement_takes_values(database, tasks, run):
    store = SqlStore(database.session)
    await store.save_task(tasks[0])
    ids = [tasks[0].task_id, *(f"not yet {number}" for number in range(40_000))]
    await store.save_run(run, ids)
    assert await store.unasked(run.run_id) == {(tasks[0].task_id, 0)}
    assert list(await store.functions_of(ids)) == [tasks[0].task_id]
    await store.mark_requested(run.run_id, [(each, 0) for each in ids])
    assert await store.unasked(run.run_id) == set()


@pytest.mark.real
async def test_a_halt_of_an_answer_is_noted_only_while_that_waits_to_be_made(database, tasks, run):
    store = SqlStore(database.session)
    for task in tasks:
        await store.save_task(task)
    places = [(task.task_id, 0) for task in tasks]
    await store.save_run(run, [task.task_id for task in tasks])

    async def noted(place):
        began = await store.set_halted(run.run_id, "away", place)
        found = bool(await store.halted_runs())
        # Looked at again, it stands still, and does not come to.
        assert began == found and not await store.set_halted(run.run_id, "still away", place)
        assert not await store.set_halted(run.run_id, "")
        return found

    assert await noted(places[0]), "asked for, be it not confirmed yet"
    await store.save_solution(run.run_id, places[0][0], SOLUTION)
    await store.retract_task(places[1][0], "a wrong case")
    assert places[1] not in {(task_id, sample) for _, task_id, sample in await store.unrequested()}
    assert [await noted(place) for place in places] == [False, False, True]
    await store.set_paused(run.run_id, paused=True)
    assert not await noted(places[2])
    await store.mark_requested(run.run_id, places[2:], by_name=True)
    assert await noted(places[2]), "a pause does not hold what is named"
    await store.end_answers(run.run_id)
    assert not await noted(places[2])
    # Whoever ends a run has the last word, however long it takes.
    async with database.session() as session:
        await session.execute(sa.text("UPDATE attempts SET outcome = NULL, solution_id = NULL"))
    assert await noted(places[2])
    async with database.session() as session:
        await session.execute(sa.text("UPDATE runs SET halted = ''"))
        waiting = asyncio.create_task(store.set_halted(run.run_id, "away", places[2]))
        await asyncio.wait([waiting], timeout=0.5)
        await session.execute(sa.text("UPDATE attempts SET outcome = 'infrastructure'"))
    assert not await asyncio.wait_for(waiting, 60)
    assert await store.halted_runs() == []


@pytest.mark.real
@pytest.mark.parametrize("paused", [True, False])
async def test_a_run_whose_tasks_come_after_it_is_read_again(database, fakes, tasks, paused):
    store, lists = SqlStore(database.session), fakes.MemoryLists()
    ids = [task.task_id for task in tasks]
    run = fakes.make_run(tasks=task_set("release", "2026-06", ids, "e" * 64))
    await store.save_run(run, ids)
    await store.set_paused(run.run_id, paused=paused)
    boards, met = Boards(store, lists), []
    for task in (None, *tasks):
        if task is not None:
            await store.save_task(task)
            # Of a run that goes on, requests tell which answers it expects.
            await store.save_run(run, [] if paused else [task.task_id])
        ((_, results, _),) = await boards.summaries()
        met.append(len(results.cells))
    assert met == [0, 1, 2, 3]
    before = (await store.overview()).runs
    await store.save_run(run, ids)
    await store.save_task(tasks[0])
    # What adds nothing has nobody read anything.
    assert (await store.overview()).runs == before
